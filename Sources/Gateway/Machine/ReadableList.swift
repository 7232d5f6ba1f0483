import FlightMath

/// A stored list. Elements that can't be read, as in a damaged store, are left out.
struct ReadableList<Element: Codable & Sendable>: Codable, Sendable {
    var elements: [Element]

    /// Takes the place of an element that can't be read.
    private struct Skipped: Decodable {
        init(from decoder: any Decoder) {}
    }

    init(_ elements: [Element]) { self.elements = elements }

    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        elements = []
        while !list.isAtEnd {
            if let element = try? list.decode(Element.self) {
                elements.append(element)
            } else {
                _ = try list.decode(Skipped.self)
            }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(contentsOf: elements)
    }
}

extension Coordinate {
    /// - Throws: if the stored place is none on the Earth.
    init(onEarth decoder: any Decoder) throws {
        try self.init(from: decoder)
        guard isOnEarth else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not on the Earth"))
        }
    }
}
