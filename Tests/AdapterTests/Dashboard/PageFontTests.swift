import Foundation
import TestSupport
import Testing

@testable import Dashboard

/// The typeface for browsers on machines without a good one.
@Suite struct PageFontTests {
    @Test func installedFilesAreListed() throws {
        let folder = try temporaryDirectory()
        #expect(PageFont.files(in: folder.path).isEmpty && PageFont.styleSheet(in: folder.path).isEmpty)
        try Data("OTTO".utf8).write(to: folder.appendingPathComponent("B612-Bold.otf"))
        let files = PageFont.files(in: folder.path)
        #expect(files.map(\.served) == ["/b612/Bold.otf"])
        let sheet = PageFont.styleSheet(in: folder.path)
        #expect(sheet.contains("font-weight:600 700") && sheet.contains("url(Bold.otf)") && !sheet.contains("Regular"))
        #expect(files.map(\.path) == [folder.appendingPathComponent("B612-Bold.otf").path])
    }
}
