import Testing

@testable import MosquittoClient

@Suite struct ClashWatchTests {
    typealias Ending = ClashWatch.Ending
    typealias Verdict = ClashWatch.Verdict

    /// Endings of sessions in a row, and what is made of each.
    @Test(
        arguments: [
            // Two clients with one id: told at the second hang-up; two more show it to the other one; then patient.
            (
                [.hangUp(.none), .hangUp(.alive), .hangUp(.alive), .hangUp(.none), .hangUp(.alive), .hangUp(.alive)],
                [.noClash, .newClash, .noClash, .noClash, .knownClash, .knownClash]
            ),
            // A broker that flaps takes the witness along.
            ([.hangUp(.none), .hangUp(.died), .hangUp(.died)], [.noClash, .noClash, .noClash]),
            // A witness that the broker doesn't let in says nothing.
            ([.hangUp(.none), .hangUp(.none), .hangUp(.none)], [.noClash, .noClash, .noClash]),
            ([.toldTakenOver, .toldTakenOver], [.newClash, .knownClash]),
            ([.hangUp(.none), .other, .other], [.noClash, .noClash, .noClash]),
            (
                [.toldTakenOver, .hangUp(.none), .hangUp(.none), .hangUp(.none)],
                [.newClash, .noClash, .noClash, .knownClash]
            ),
            // The clash is over, then the broker restarts.
            ([.toldTakenOver, .hangUp(.died), .hangUp(.alive)], [.newClash, .noClash, .newClash]),
        ] as [([Ending], [Verdict])])
    func verdicts(_ endings: [Ending], _ expected: [Verdict]) {
        var watch = ClashWatch()
        #expect(endings.map { watch.sessionEnded($0) } == expected)
    }

    @Test func timeMakesAHangUpMeaningless() {
        var watch = ClashWatch()
        #expect(!watch.wantsWitness)
        _ = watch.sessionEnded(.hangUp(.none))
        watch.sessionStands(for: .seconds(59))
        #expect(watch.wantsWitness)
        watch.sessionStands(for: .seconds(60))
        #expect(!watch.wantsWitness)
        _ = watch.sessionEnded(.toldTakenOver)
        watch.sessionStands(for: .seconds(599))
        #expect(watch.wantsWitness)
        watch.sessionStands(for: .seconds(600))
        #expect(watch.sessionEnded(.toldTakenOver) == .newClash)
    }
}
