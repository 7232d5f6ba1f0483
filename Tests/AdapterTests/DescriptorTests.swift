import Foundation
import Gateway
import GatewayReports
import StreamTransports
import Synchronization
import TestSupport
import Testing

/// A closed descriptor's number is soon used again. A second close or write would hit another socket or store.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DescriptorTests {
    @Test func failedOpensCloseNoForeignDescriptor() async throws {
        let bench = try StoreFolder()
        let other = try Child("python3", ["-c", Self.holder, bench.path + ".lock"])
        try await eventually("the other has it") { other.text.contains("held").orNil }
        let watch = DescriptorWatch()
        let store = bench.store()
        for _ in 0..<10_000 {
            let error = await #expect(throws: StoreError.self) { _ = try await store.count() }
            try #require(error?.code == .inUse)
        }
        #expect(watch.end() == 0)
    }

    private static let holder = """
        import fcntl, sys, time
        file = open(sys.argv[1], "w")
        fcntl.lockf(file, fcntl.LOCK_EX)
        print("held", flush=True)
        time.sleep(300)
        """

    /// The link's thread waits while its mailbox is full.
    @Test func readingAfterALinksEndHarmsNoDescriptor() async throws {
        let folder = try temporaryDirectory()
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 200_000)
        // The link's thread needs time to fill the mailbox: on a busy machine more.
        var pause = Duration.zero
        try await eventually("a link that ends while its mailbox is full") { () -> Bool? in
            let server = try SocketServer()
            async let opening = TCPTransport(host: "127.0.0.1", port: server.port).connect()
            try await server.accept()
            let connection = try await opening
            server.write(bytes)
            try await Task.sleep(for: pause)
            pause += .milliseconds(5)
            await connection.close()
            // These files get the free numbers.
            let files = (0..<64).map { open("\(folder.path)/\($0)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
            defer { for file in files { close(file) } }
            var count = 0
            while let chunk = try? await connection.next() { count += chunk.bytes.count }
            for file in files where file >= 0 { #expect(lseek(file, 0, SEEK_END) == 0) }
            return (count >= 65_536).orNil
        }
    }
}

/// Opens a file repeatedly and counts how often other code closes it.
private final class DescriptorWatch: Sendable {
    private let isOver = Atomic(false)
    private let closed = Atomic(0)
    private let hasEnded = DispatchSemaphore(value: 0)

    init() {
        let thread = Thread { [self] in
            let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
            while !isOver.load(ordering: .relaxed) {
                // Each gets the lowest free number, also one that was closed just now.
                let mine = (0..<4).map { _ in fcntl(null, F_DUPFD_CLOEXEC, 0) }
                for descriptor in mine where close(descriptor) < 0 { closed.add(1, ordering: .relaxed) }
            }
            close(null)
            hasEnded.signal()
        }
        thread.start()
    }

    /// - Returns: how often other code closed it.
    func end() -> Int {
        isOver.store(true, ordering: .relaxed)
        hasEnded.wait()
        return closed.load(ordering: .relaxed)
    }
}
