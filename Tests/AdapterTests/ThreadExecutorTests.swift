import Foundation
import ReceiverProtocol
import TestSupport
import Testing
import TransportIO

@testable import GatewayRuntime

@Suite(.timeLimit(.minutes(2))) struct ThreadExecutorTests {
    private let executor = ThreadExecutor(named: "test")

    init() {
        executor.start()
    }

    @Test func allTasksRunOnOneThread() async {
        let threads = await withTaskGroup(of: pthread_t.self) { group in
            for _ in 0..<20 { group.addTask(executorPreference: executor) { pthread_self() } }
            return await group.reduce(into: Set<pthread_t>()) { $0.insert($1) }
        }
        #expect(threads.count == 1)
    }

    @Test func sleepersWakeInTheOrderOfTheirDeadlines() async {
        let began = MonotonicTime.now
        let woken = await withTaskGroup(of: Int.self) { group in
            for number in [3, 1, 2] {
                group.addTask(executorPreference: executor) { [executor] in
                    await executor.sleep(until: began.advanced(by: .milliseconds(100 * number)))
                    return number
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(woken == [1, 2, 3])
        #expect(began.duration(to: .now) >= .milliseconds(300))
    }

    @Test func aSleeperWakesWhenItsTaskIsCancelled() async {
        let sleeper = Task(executorPreference: executor) { [executor] in
            await executor.sleep(until: .now.advanced(by: .seconds(600)))
        }
        sleeper.cancel()
        await sleeper.value
    }

    /// The deadline is set while the thread sleeps until a later one.
    @Test func anEarlierDeadlineIsKept() async {
        let began = MonotonicTime.now
        let late = Task(executorPreference: executor) { [executor] in
            await executor.sleep(until: began.advanced(by: .seconds(600)))
        }
        await Task(executorPreference: executor) { [executor] in
            await executor.sleep(until: .now.advanced(by: .milliseconds(20)))
        }.value
        #expect(began.duration(to: .now) < .seconds(60))
        late.cancel()
    }

    private final class Count: @unchecked Sendable {
        /// Not atomic, so that two tasks at once would lose counts.
        private(set) var value = 0

        func add() { value += 1 }
    }

    @Test func neverTwoAtOnceAndNothingLost() async {
        let count = Count()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<5000 { await Task(executorPreference: executor) { count.add() }.value }
                }
                group.addTask(executorPreference: executor) { [executor] in
                    for _ in 0..<200 {
                        await executor.sleep(until: .now.advanced(by: .microseconds(100)))
                        count.add()
                    }
                }
            }
        }
        #expect(count.value == 4 * 5200)
    }
}
