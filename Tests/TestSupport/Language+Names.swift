package import GatewayReports

extension Language {
    package static let german = named("de")
    package static let french = named("fr")
    package static let italian = named("it")

    private static func named(_ name: String) -> Language {
        guard let language = Language(rawValue: name) else { preconditionFailure("there is no file \(name).txt") }
        return language
    }
}
