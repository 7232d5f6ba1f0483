/// Notices that a tile server sends the same picture everywhere, or nothing, as one does that refuses this program or
/// has another area.
///
/// A picture of the sea is the same at many places. The first tiles are of the lowest zoom levels, where each shows a
/// large area, so the first ones decide.
struct ServerJudge {
    /// The answers that decide.
    static let first = 20
    /// The share of one picture among them.
    private static let share = 0.9

    enum Verdict: Equatable {
        case good
        /// One picture at most places, and how many those are.
        case onePicture([UInt8], Int)
        /// No picture at all, and how often.
        case nothing(Int)
    }

    /// The pictures and how often each came; at most ``first`` of them.
    private var pictures: [[UInt8]: Int] = [:]
    private var pictureCount = 0
    private var nothingCount = 0

    mutating func got(_ picture: [UInt8]) {
        pictureCount += 1
        if pictureCount <= Self.first { pictures[picture, default: 0] += 1 }
    }

    mutating func gotNothing() { nothingCount += 1 }

    /// - Parameter isLast: no answer will follow.
    func verdict(isLast: Bool) -> Verdict {
        if pictureCount == 0, nothingCount > 0, nothingCount == Self.first || isLast { return .nothing(nothingCount) }
        guard pictureCount == Self.first, let most = pictures.max(by: { $0.value < $1.value }),
            Double(most.value) >= Self.share * Double(Self.first)
        else { return .good }
        return .onePicture(most.key, most.value)
    }
}
