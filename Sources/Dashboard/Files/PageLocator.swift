import FoundationEssentials

/// Finds the page's files.
public enum PageLocator {
    /// The folder beside an installed program (`/usr/bin` -> `/usr/share/sondygo2mqtt/page`), or in the checkout that
    /// it was built in (`deploy/page`); nil if neither exists.
    public static func pageDirectory(ofProgram program: String) -> String? {
        var folders = program.split(separator: "/").map { String($0) }.dropLast()
        let installed = "/" + (folders.dropLast() + ["share/sondygo2mqtt/page"]).joined(separator: "/")
        if isPage(installed) { return installed }
        while !folders.isEmpty {
            let candidate = "/" + (folders + ["deploy/page"]).joined(separator: "/")
            if isPage(candidate) { return candidate }
            folders = folders.dropLast()
        }
        return nil
    }

    private static func isPage(_ folder: String) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/index.html")
    }
}
