/// The text of the page's own modules and style sheets.
enum OwnSource {
    /// The lines that are not empty and no comment: what a browser needs. Code beside a comment stays, and a text
    /// between backticks stays as it is.
    static func withoutComments(_ content: String) -> [Substring] {
        var (isInComment, isInText) = (false, false)
        return content.split(separator: "\n").filter { line in
            let start = line.drop { $0 == " " || $0 == "\t" }
            if isInComment {
                isInComment = !start.contains("*/")
                return false
            }
            if !isInText {
                if start.isEmpty || start.hasPrefix("//") { return false }
                if start.hasPrefix("/*") {
                    isInComment = !start.contains("*/")
                    // What follows a comment on its line is code.
                    if isInComment || start.hasSuffix("*/") { return false }
                }
            }
            if line.count(where: { $0 == "`" }) % 2 == 1 { isInText.toggle() }
            return true
        }
    }
}
