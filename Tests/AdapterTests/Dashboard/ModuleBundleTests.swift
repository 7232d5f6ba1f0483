import Foundation
import NIOCore
import TestSupport
import Testing

@testable import Dashboard

/// The modules that the gateway joins for the page's start.
@Suite struct ModuleBundleTests {
    private static let files = [
        "main.js": """
        // The start.
        import { draw as paint } from './drive/drive.js';
        import * as u from './shared/units.js';
        import { keep } from './shared/stored.js';

        /** Draws. */
        paint(u.half(8), keep);
        """,
        "drive/drive.js": """
        import {
          half,
        } from '../shared/units.js';
        /**
         * Draws.
         */
        export async function draw(value) {
          // Not at once.
          const later = await import('../map/map.js');
          /** @type {any} */ (later).draw(`
        // a text
        ${half(value)}`);
        }
        """,
        "shared/units.js": """
        import { T } from './texts.js';
        export const half = v => v / 2;
        const own = 1;
        export { T };
        """,
        "shared/texts.js": "export const T = (await import(`../languages/${'en'}.js`)).texts;\nexport class Word {}",
    ]

    private func bundle(_ changed: [String: String] = [:]) -> ModuleBundle? {
        let files = Self.files.merging(changed) { $1 }
        return ModuleBundle(of: "main.js", apart: ["shared/stored.js"]) { files[$0] }
    }

    @Test func modulesAreJoined() throws {
        let joined = try #require(bundle())
        #expect(joined.members == ["shared/texts.js", "shared/units.js", "drive/drive.js", "main.js"])
        #expect(
            joined.text == """
                import * as apart_shared_stored_js from './shared/stored.js';
                const module0 = await (async () => {
                const T = (await import(`./languages/${'en'}.js`)).texts;
                class Word {}
                return { T, Word };
                })();
                const module1 = await (async () => {
                const { T } = module0;
                const half = v => v / 2;
                const own = 1;
                return { half, T };
                })();
                const module2 = await (async () => {
                const {   half, } = module1;
                async function draw(value) {
                  const later = await import('./map/map.js');
                  /** @type {any} */ (later).draw(`
                // a text
                ${half(value)}`);
                }
                return { draw };
                })();
                const module3 = await (async () => {
                const { draw: paint } = module2;
                const u = module1;
                const { keep } = apart_shared_stored_js;
                paint(u.half(8), keep);
                return {  };
                })();
                export { module0, module1, module2, module3 };

                """)
        #expect(
            joined.stubs == [
                "shared/texts.js": "import { module0 } from '../first.js';\nexport const { T, Word } = module0;\n",
                "shared/units.js": "import { module1 } from '../first.js';\nexport const { half, T } = module1;\n",
                "drive/drive.js": "import { module2 } from '../first.js';\nexport const { draw } = module2;\n",
            ])
    }

    @Test func commentsAreLeftOut() {
        let source = """
            /* All of it
             * is one comment. */
            const a = 1; // Beside code it stays.

              /** @type {any} */ (a).b();
            // A line.
            const text = `
            // no comment
            /* nor this`;
            /* One. */
            .wide { /* Kept. */
            """
        let left = OwnSource.withoutComments(source).joined(separator: "\n")
        #expect(
            left == """
                const a = 1; // Beside code it stays.
                  /** @type {any} */ (a).b();
                const text = `
                // no comment
                /* nor this`;
                .wide { /* Kept. */
                """)
    }

    @Test(arguments: [
        ("a module is missing", ["main.js": "import { a } from './away.js';"]),
        ("a circle", ["shared/texts.js": "import { half } from './units.js';"]),
        ("a binding that changes", ["shared/texts.js": "export let T = 1;"]),
        ("an export of another form", ["shared/texts.js": "export default 1;"]),
        ("an import of another form", ["shared/texts.js": "import texts from './stored.js';"]),
        ("its own address", ["shared/texts.js": "const here = import.meta.url;"]),
    ])
    func whatCannotBeJoinedIsLeftAlone(_ name: String, _ changed: [String: String]) {
        #expect(bundle(changed) == nil, "\(name)")
    }

    /// The page's own modules are joined, so the first numbers need one request for them.
    @Test func thePagesStartIsJoined() throws {
        let modules = JoinedModules(folder: Fixtures.url("deploy/page").path)
        let first = try #require(modules.module(at: "/first.js"))
        let text = String(buffer: first.plain)
        #expect(text.contains("await (async") && !text.contains("main.js"))
        // The time until the first number is measured in a browser; this only says when much is added.
        #expect(first.packed.readableBytes < 18_000)
        let stub = try #require(modules.module(at: "/shared/stream.js"))
        #expect(String(buffer: stub.plain).hasPrefix("import { module"))
        #expect(modules.module(at: "/main.js") == nil && modules.module(at: "/map/map.js") == nil)
    }

    /// A changed file counts at once, and one that can't be joined is loaded by itself.
    @Test func aChangedFileIsJoinedAnew() throws {
        let folder = try temporaryDirectory()
        let main = folder.appendingPathComponent("main.js")
        try Data("const a = 1;\n".utf8).write(to: main)
        let modules = JoinedModules(folder: folder.path)
        let old = try #require(modules.module(at: "/first.js"))
        #expect(String(buffer: old.plain).contains("const a = 1;"))
        try Data("const a = 2222;\n".utf8).write(to: main)
        let new = try #require(modules.module(at: "/first.js"))
        #expect(String(buffer: new.plain).contains("const a = 2222;") && new.tag != old.tag)
        try Data("export let a = 1;\n".utf8).write(to: main)
        #expect(modules.module(at: "/first.js").map { String(buffer: $0.plain) } == "import './main.js';\n")
    }
}
