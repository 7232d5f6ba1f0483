import FoundationEssentials

/// The value of a ``StoredSetting``. The store keeps it as JSON.
protocol StoredValue: Codable, Sendable {
    /// Reads the text that versions before 1.0.0 stored. Each setting had a form of its own.
    /// - Returns: nil if the text is no such value.
    init?(earlier text: String)
}

extension StoredValue {
    /// Settings that were JSON before have no other form.
    init?(earlier text: String) { return nil }

    /// - Returns: nil for a text that can't be read, as in a damaged store.
    init?(stored text: String) {
        if let value = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) {
            self = value
        } else {
            self.init(earlier: text)
        }
    }

    /// The stored form; nil if the value has none, such as a number that is infinite.
    var stored: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension [StoredSetting: String] {
    /// The stored value of a setting; nil if there is none.
    func value<Stored: StoredValue>(of setting: StoredSetting) -> Stored? {
        self[setting].flatMap { Stored(stored: $0) }
    }
}

extension Turn {
    /// Stores the value of a setting; nil deletes it.
    mutating func store(_ value: (some StoredValue)?, as setting: StoredSetting) {
        record(.setting(setting, value?.stored))
    }
}

/// The value of a ``PredictionChoice`` in its stored form.
struct StoredNumber: StoredValue {
    var value: Double
}

extension StoredNumber {
    init?(earlier text: String) {
        guard let value = Double(text) else { return nil }
        self.init(value: value)
    }
}

/// A ``FrequencySyncPolicy`` in its stored form.
struct StoredPolicy: StoredValue {
    var policy: String
}

extension StoredPolicy {
    init?(earlier text: String) { self.init(policy: text) }
}
