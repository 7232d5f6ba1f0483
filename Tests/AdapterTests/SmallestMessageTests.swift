import Testing

@testable import MosquittoClient

@Suite struct SmallestMessageTests {
    /// What waits in the connection without waking us must be less.
    @Test(arguments: [
        (["sondygo/car1/command", "a/b/mute/set"], 16), (["a/+/c"], 8), (["a/#"], 5), (["#"], 4), (["+"], 4),
    ])
    func ofTheSubscriptions(_ subscriptions: [String], _ bytes: Int) {
        #expect(MosquittoConfiguration(clientID: "a", subscriptions: subscriptions).smallestMessage == bytes)
    }
}
