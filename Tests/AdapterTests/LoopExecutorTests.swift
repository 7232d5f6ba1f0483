import Foundation
import Gateway
import ReceiverProtocol
import Synchronization
import TestSupport
import Testing
import TransportIO

@testable import GatewayRuntime

@Suite(.timeLimit(.minutes(2))) struct LoopExecutorTests {
    private let executor = LoopExecutor()

    init() {
        executor.start()
    }

    /// Which thread lent itself, and which did the work that it had brought.
    private struct Errand {
        let lender: pthread_t
        let worker: pthread_t

        var isLendersOwn: Bool { lender == worker }
    }

    private final class Gate: Sendable {
        private let opened = Atomic(false)

        var isOpen: Bool { opened.load(ordering: .acquiring) }

        func open() { opened.store(true, ordering: .releasing) }
        /// Keeps the calling thread until it is open.
        func stand() { while !isOpen { sched_yield() } }
    }

    /// - Parameters:
    ///   - isBack: opened when the lender has its thread again.
    ///   - work: goes on where the errand is done.
    private func errand(
        isBack: Gate = Gate(), _ work: @escaping @Sendable () async -> Void = {}
    ) async -> Errand {
        await withCheckedContinuation { done in
            startThread { [executor] in
                let lender = pthread_self()
                executor.borrowThread {
                    Task(executorPreference: executor) {
                        let worker = pthread_self()
                        await work()
                        done.resume(returning: Errand(lender: lender, worker: worker))
                    }
                }
                isBack.open()
            }
        }
    }

    @Test func whoBringsWorkDoesItWhenNobodyElseIsAtWork() async throws {
        try await eventually("a loan") { await errand().isLendersOwn.orNil }
    }

    @Test func whoBringsWorkLeavesItToTheOneAtWork() async throws {
        let (isBusy, mayGoOn, isBack) = (Gate(), Gate(), Gate())
        Task(executorPreference: executor) {
            isBusy.open()
            mayGoOn.stand()
        }
        try await eventually("the executor's thread is at work") { isBusy.isOpen.orNil }
        async let brought = errand(isBack: isBack)
        try await eventually("the lender has gone on to something else") { isBack.isOpen.orNil }
        mayGoOn.open()
        #expect(await !brought.isLendersOwn)
    }

    @Test func whatOthersBringMeanwhileIsNotTheLenders() async throws {
        try await eventually("a loan") {
            let (isLent, mayEnd) = (Gate(), Gate())
            async let brought = errand {
                isLent.open()
                mayEnd.stand()
            }
            try await eventually("the errand is on its way") { isLent.isOpen.orNil }
            let other = Task(executorPreference: executor) { pthread_self() }
            mayEnd.open()
            let errand = await brought
            let worker = await other.value
            guard errand.isLendersOwn else { return nil as Bool? }
            #expect(worker != errand.lender)
            return true
        }
    }

    @Test func aDeadlineThatFallsIntoALoanIsKept() async throws {
        try await eventually("a loan") {
            let deadline = MonotonicTime.now.advanced(by: .milliseconds(50))
            let sleeper = Task(executorPreference: executor) {
                await executor.sleep(until: deadline)
                return pthread_self()
            }
            let errand = await errand { while MonotonicTime.now <= deadline.advanced(by: .milliseconds(20)) {} }
            let wokenOn = await sleeper.value
            guard errand.isLendersOwn else { return nil as Bool? }
            #expect(wokenOn != errand.lender)
            return true
        }
    }

    /// The own thread has gone to sleep without knowing of it.
    @Test func aDeadlineSetInALoanIsKept() async throws {
        try await eventually("a loan") {
            let began = MonotonicTime.now
            let errand = await errand { [executor] in await executor.sleep(until: began.advanced(by: .milliseconds(20)))
            }
            #expect(began.duration(to: .now) < .seconds(20))
            return errand.isLendersOwn.orNil
        }
    }

    private final class Rings: Sendable {
        let times = Mutex<[(at: MonotonicTime, thread: pthread_t)]>([])

        var count: Int { times.withLock { $0.count } }
        func ring() { times.withLock { $0.append((.now, pthread_self())) } }
    }

    @Test func theAlarmRingsOnceOnTheOwnThread() async throws {
        let (rings, deadline) = (Rings(), MonotonicTime.now.advanced(by: .milliseconds(30)))
        executor.setAlarm(deadline) { rings.ring() }
        let own = try await eventually("the alarm") { rings.times.withLock { $0.first } }
        #expect(own.at >= deadline)
        let later = MonotonicTime.now.advanced(by: .milliseconds(50))
        await Task(executorPreference: executor) { [executor] in await executor.sleep(until: later) }.value
        #expect(rings.count == 1)
    }

    /// Whoever has the thread when it is put off, taken back and brought forward.
    @Test func theAlarmMoves() async throws {
        let (rings, executor) = (Rings(), executor)
        let set = { (deadline: MonotonicTime?) in
            _ = await errand { executor.setAlarm(deadline) { rings.ring() } }
        }
        for later in [MonotonicTime.now.advanced(by: .seconds(60)), nil] {
            let early = MonotonicTime.now.advanced(by: .seconds(2))
            await set(early)
            await set(later)
            let past = early.advanced(by: .milliseconds(200))
            await Task(executorPreference: executor) { await executor.sleep(until: past) }.value
            #expect(rings.count == 0)
        }
        await set(.now.advanced(by: .seconds(60)))
        await set(.now.advanced(by: .milliseconds(20)))
        try await eventually("the alarm") { (rings.count == 1).orNil }
    }

    /// Set in a loan while the own thread sleeps: no wake for it, and none missed.
    @Test func anAlarmSetInALoanRings() async throws {
        try await eventually("a loan") {
            let (rings, executor) = (Rings(), executor)
            let deadline = MonotonicTime.now.advanced(by: .milliseconds(20))
            let errand = await errand { executor.setAlarm(deadline) { rings.ring() } }
            let ring = try await eventually("the alarm") { rings.times.withLock { $0.first } }
            guard errand.isLendersOwn else { return nil as Bool? }
            #expect(ring.at >= deadline && ring.thread != errand.lender)
            return true
        }
    }

    @Test func manyAlarmsOneAfterTheOther() async throws {
        let (rings, executor) = (Rings(), executor)
        for number in 1...200 {
            _ = await errand { executor.setAlarm(.now.advanced(by: .microseconds(200))) { rings.ring() } }
            try await eventually("alarm \(number)") { (rings.count == number).orNil }
        }
    }

    private final class Count: @unchecked Sendable {
        /// Not atomic, so that two at once lose some.
        private(set) var value = 0
        private let isAtWork = Atomic(false)
        let overlaps = Atomic(0)

        func add() {
            if isAtWork.exchange(true, ordering: .relaxed) { overlaps.add(1, ordering: .relaxed) }
            value += 1
            isAtWork.store(false, ordering: .relaxed)
        }
    }

    @Test func neverTwoAtOnceAndNothingLost() async {
        let count = Count()
        let work: @Sendable () async -> Void = { count.add() }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<500 { _ = await errand(work) }
                }
                group.addTask {
                    for _ in 0..<5000 { await Task(executorPreference: executor) { await work() }.value }
                }
                group.addTask(executorPreference: executor) {
                    for _ in 0..<200 { await executor.sleep(until: .now.advanced(by: .microseconds(100))) }
                }
            }
        }
        #expect(count.overlaps.load(ordering: .relaxed) == 0)
        #expect(count.value == 4 * 5500)
    }
}

@Suite(.timeLimit(.minutes(1))) struct ByteMailboxTests {
    private final class Borrower: ThreadBorrower {
        let loans = Atomic(0)

        func borrowThread(_ deliver: () -> Void) {
            loans.add(1, ordering: .relaxed)
            deliver()
        }
    }

    private let borrower = Borrower()

    private func chunk(_ length: Int) -> ReceivedChunk {
        ReceivedChunk(bytes: [UInt8](repeating: 0, count: length), at: .now)
    }

    private var loans: Int { borrower.loans.load(ordering: .relaxed) }

    @Test func onlyWhoIsAwaitedLendsItself() async throws {
        let mailbox = ByteMailbox(lendingThreadTo: borrower) {}
        mailbox.put(chunk(100))
        #expect(loans == 0)
        #expect(try await mailbox.next().bytes.count == 100)
        try await eventually("somebody waits when it comes") {
            async let awaited = mailbox.next()
            await Task.yield()
            mailbox.put(chunk(100))
            _ = try await awaited
            return (loans > 0).orNil
        }
    }

    /// Of a flood the reading thread reads on.
    @Test func aLongChunkIsLeftToOthers() async throws {
        let mailbox = ByteMailbox(lendingThreadTo: borrower) {}
        for _ in 0..<100 {
            async let awaited = mailbox.next()
            await Task.yield()
            mailbox.put(chunk(1025))
            _ = try await awaited
        }
        #expect(loans == 0)
    }
}
