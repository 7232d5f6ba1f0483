extension String {
    /// The number of letters to insert, delete, replace or swap with their neighbour to turn this text into `other`.
    ///
    /// Compares only the first 64 bytes, so that a long argument costs little.
    package func editDistance(to other: String) -> Int {
        let (from, to) = (Array(utf8.prefix(64)), Array(other.utf8.prefix(64)))
        var beforeLast: [Int] = []
        var last = Array(0...to.count)
        for (row, letter) in from.enumerated() {
            var next = [row + 1]
            for (column, wanted) in to.enumerated() {
                var cost = Swift.min(last[column] + (letter == wanted ? 0 : 1), last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, letter == to[column - 1], from[row - 1] == wanted {
                    cost = Swift.min(cost, beforeLast[column - 1] + 1)
                }
                next.append(cost)
            }
            (beforeLast, last) = (last, next)
        }
        return last[to.count]
    }
}
