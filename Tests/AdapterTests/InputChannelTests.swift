import ReceiverProtocol
import Synchronization
import Testing

@testable import FlightMath
@testable import GatewayRuntime

@Suite struct InputChannelTests {
    private let channel = InputChannel()

    private func input(_ number: Int) -> GatewayInput {
        GatewayInput(
            at: Moment(
                monotonic: MonotonicTime(nanoseconds: Int64(number)), wall: WallTime(millisecondsSince1970: 0),
                isClockSynced: false))
    }

    private func next() async -> Int? { await channel.next().map { Int($0.at.monotonic.nanoseconds) } }

    /// Whether the reader waits for them or they for him.
    @Test func everyInputOnceAndEachSendersInOrder() async {
        let channel = channel
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<8 {
                group.addTask {
                    for number in 0..<1000 { await channel.send(input(sender * 1000 + number)) }
                }
            }
            var counts = [Int](repeating: 0, count: 8)
            for _ in 0..<8000 {
                guard let number = await next() else { break }
                #expect(counts[number / 1000] == number % 1000)
                counts[number / 1000] += 1
            }
            #expect(counts == [Int](repeating: 1000, count: 8))
        }
    }

    private final class Sent: Sendable {
        let last = Mutex(0)
    }

    @Test func aSenderWaitsUntilItsInputIsTaken() async throws {
        let sent = Sent()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...3 {
                    await channel.send(input(number))
                    sent.last.withLock { $0 = number }
                }
            }
            for number in 1...3 {
                #expect(sent.last.withLock { $0 } < number)
                #expect(await next() == number)
            }
        }
        #expect(sent.last.withLock { $0 } == 3)
    }

    @Test func aCancelledSendersInputIsDropped() async {
        let channel = channel
        let sender = Task { await channel.send(input(1)) }
        sender.cancel()
        await sender.value
        async let later: Void = channel.send(input(2))
        #expect(await next() == 2)
        await later
    }

    /// Whether the reader waits or comes later.
    @Test func aWakeIsTakenOnceAndWaitedForByNobody() async {
        channel.wake(input(1))
        channel.wake(input(2))
        #expect(await next() == 2)
        async let taken = next()
        async let sent: Void = channel.send(input(3))
        #expect(await taken == 3)
        await sent
        let reader = Task { [channel] in await channel.next().map { Int($0.at.monotonic.nanoseconds) } }
        channel.wake(input(4))
        #expect(await reader.value == 4)
        channel.finish()
        channel.wake(input(5))
        #expect(await next() == nil)
    }

    @Test func nobodyWaitsForOneWhoReadsNoMore() async {
        let channel = channel
        let sender = Task { await channel.send(input(1)) }
        channel.finish()
        await sender.value
        await channel.send(input(2))
        #expect(await next() == nil)
    }

    @Test func aCancelledReaderReadsNothing() async {
        let channel = channel
        let reader = Task { await channel.next() == nil }
        reader.cancel()
        #expect(await reader.value)
        await channel.send(input(1))
    }
}
