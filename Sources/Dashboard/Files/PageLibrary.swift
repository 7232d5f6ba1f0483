import FoundationEssentials

/// A JavaScript library that the page loads from a Debian package. Nothing third-party is in the repository.
public enum PageLibrary: String, CaseIterable, Sendable {
    /// The map.
    case leaflet
    /// The charts.
    case dygraphs
    /// QR codes.
    case qrcode

    public var package: String {
        switch self {
        case .leaflet: "libjs-leaflet"
        case .dygraphs: "libjs-dygraphs"
        case .qrcode: "node-qrcode-generator"
        }
    }

    /// The part of the page that needs the library.
    public var purpose: String {
        switch self {
        case .leaflet: "map"
        case .dygraphs: "charts"
        case .qrcode: "QR codes"
        }
    }

    /// The names below `/<library>/` and the files on the disk.
    var files: [(served: String, path: String)] {
        let folder = "/usr/share/javascript/"
        return switch self {
        case .leaflet:
            [
                ("leaflet.js", folder + "leaflet/leaflet.min.js"), ("leaflet.css", folder + "leaflet/leaflet.css"),
            ]
        case .dygraphs:
            [
                ("dygraph.js", folder + "dygraphs/dygraph.min.js"),
                ("dygraph.css", folder + "dygraphs/dygraph.min.css"),
            ]
        case .qrcode: [("qrcode.js", folder + "qrcode-generator/qrcode.js")]
        }
    }

    public var isInstalled: Bool { files.allSatisfy { FileManager.default.fileExists(atPath: $0.path) } }
}
