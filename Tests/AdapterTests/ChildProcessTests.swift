import Foundation
import TestSupport
import Testing
import Threads

@Suite struct ChildProcessTests {
    /// What a shell prints; ended without a sign after it.
    private func printed(_ script: String, environment: [String]? = nil) throws -> (text: String, status: Int32) {
        let pipe = Pipe()
        let ours = pipe.fileHandleForWriting
        let child = try ChildProcess(
            "/bin/sh", ["-c", script], environment: environment, output: ours.fileDescriptor,
            errors: ours.fileDescriptor)
        try ours.close()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return (text, child.wait())
    }

    /// Foundation's own read behind the list of that many.
    @Test func startsFromAProcessWithThousandsOfDescriptors() throws {
        let many = (0..<4000).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        defer { many.forEach { close($0) } }
        try #require(many.allSatisfy { $0 >= 0 })
        for _ in 0..<50 { #expect(try printed("exit 0").status == 0) }
    }

    @Test func inheritsNothingButTheThree() throws {
        // Without O_CLOEXEC on purpose: other libraries open such descriptors. keepFromChildren would hide them.
        let open = dup(STDERR_FILENO)
        defer { close(open) }
        // The fourth is the shell's own, of the folder that it lists.
        #expect(try printed("cd /proc/self/fd; echo *").text == "0 1 2 3\n")
        // The shell itself reads it: while it starts a program, it blocks all signals.
        let blocked = try printed("while read key value; do [ $key = SigBlk: ] && echo $value; done < /proc/$$/status")
        #expect(blocked.text == "0000000000000000\n")
        #expect(try printed("read line || echo none").text == "none\n")
    }

    @Test func tellsHowAProgramEnded() throws {
        #expect(try printed("exit 7").status == 7)
        #expect(try printed("kill -TERM $$").status == SIGTERM)
        #expect(try printed("echo $A-$B", environment: ["A=one two", "B="]).text == "one two-\n")
        let child = try ChildProcess("/bin/sh", ["-c", "exit 3"])
        #expect(child.wait() == 3)
        #expect(child.wait() == 3)
        #expect(child.status == 3)
    }

    /// A process that ignores SIGCHLD finds no status, as here, where it is taken first.
    @Test func aStatusThatIsGoneIsUnknown() throws {
        let child = try ChildProcess("/bin/sh", ["-c", "exit 3"])
        try #require(waitpid(child.pid, nil, 0) == child.pid)
        #expect(child.wait() == ChildProcess.unknownStatus)
        #expect(child.status == ChildProcess.unknownStatus)
    }

    @Test func namesAProgramThatIsNotThere() {
        let failure = #expect(throws: CannotStart.self) { try ChildProcess("/nowhere/program", []).wait() }
        #expect(failure.map { "\($0)" } == "/nowhere/program: No such file or directory")
    }
}
