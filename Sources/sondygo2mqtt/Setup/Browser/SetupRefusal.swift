import GatewayReports

/// Why the page's answers are not kept. Only somebody with the page's key gets it, so it may name files.
struct SetupRefusal: Error {
    /// The question's name on the page; nil if the fault is none of the answers'.
    var question: String?
    var text: String
    /// A fault for which the page has a sentence of its own, and the server that it names.
    var code: Finding.Code?
    var place: String?

    var json: [UInt8] {
        var json = JSONText()
        json.field("kept", false)
        json.field("question", question)
        json.field("text", text)
        json.field("code", code?.rawValue)
        json.field("place", place)
        return json.object
    }
}
