import FoundationEssentials

/// The typeface for browsers that have none of the page's first choice, as on Debian: B612, made for aircraft's displays.
/// It comes from the package fonts-b612. Without it the page uses the system's own.
enum PageFont {
    static let folder = "/usr/share/fonts/opentype/b612"
    /// The path of ``styleSheet(of:)``.
    static let sheet = "/b612/font.css"

    private static let faces = [(name: "Regular", weight: "400"), (name: "Bold", weight: "600 700")]

    /// The served paths and the files on the disk that are installed.
    static func files(in folder: String) -> [(served: String, path: String)] {
        faces.map { ("/b612/\($0.name).otf", "\(folder)/B612-\($0.name).otf") }
            .filter { FileManager.default.fileExists(atPath: $0.1) }
    }

    /// Names the installed files: a browser that asked for a missing one would report it. It asks for none while it has
    /// a font that stands before this one.
    static func styleSheet(in folder: String) -> String {
        let served = files(in: folder).map(\.served)
        return faces.filter { served.contains("/b612/\($0.name).otf") }
            .map {
                "@font-face{font-family:B612;font-weight:\($0.weight);font-display:swap;"
                    + "src:local(\"B612 \($0.name)\"),url(\($0.name).otf)}\n"
            }
            .joined()
    }
}
