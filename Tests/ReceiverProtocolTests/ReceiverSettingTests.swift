import TestSupport
import Testing

@testable import ReceiverProtocol

/// The table of settings, and the two files that follow from it.
///
/// To write both files anew, run `SONDYGO_UPDATE_GOLDEN=1 Tests/one.sh ReceiverSettingTests`.
@Suite struct ReceiverSettingTests {
    @Test(arguments: ReceiverSetting.all)
    func settings(_ setting: ReceiverSetting) throws {
        #expect(ReceiverSetting(key: setting.key) == setting)
        #expect(ReceiverSetting.all.count { $0.key == setting.key || $0.field == setting.field } == 1)
        #expect(SettingChange(setting, setting.delivered) != nil)
        guard let range = setting.range else { return }
        #expect(setting.plausible.lowerBound <= range.lowerBound && setting.plausible.upperBound >= range.upperBound)
        #expect(SettingChange(setting, .integer(range.lowerBound)) != nil)
        #expect(SettingChange(setting, .integer(range.upperBound)) != nil)
        #expect(SettingChange(setting, .integer(range.lowerBound - 1)) == nil)
        #expect(SettingChange(setting, .integer(range.upperBound + 1)) == nil)
        #expect(SettingChange(setting, .text("1")) == nil)
    }

    /// `deploy/doc/commands.md` has a row for each setting, in the order of ``ReceiverSetting/all``.
    @Test func theDocumentationListsEverySetting() throws {
        let rows = ReceiverSetting.all.map { setting in
            let accepted = setting.range.map { "\($0.lowerBound) to \($0.upperBound)" } ?? "up to 8 of A-Z 0-9 - /"
            let isDangerous = setting.isDangerous(.integer(setting.range?.upperBound ?? 0))
            let danger = isDangerous ? "yes" : setting.isDangerous(.integer(0)) ? "for 0" : ""
            return "| `\(setting.key)` | `\(setting.field)` | \(setting.meaning) | \(accepted) | "
                + "\(setting.restarts ? "yes" : "") | \(danger) |"
        }
        let heading = "| restarts | dangerous |\n| --- | --- | --- | --- | --- | --- |\n"
        let path = "deploy/doc/commands.md"
        let text = try Self.text(Fixtures.text(path), with: rows.joined(separator: "\n"), from: heading, to: "\n\n")
        #expect(try Fixtures.holds(text, at: path), Self.advice)
    }

    /// The schema has each field of the report, in the order of ``ReceiverSetting/all``.
    @Test func theSchemaHasEverySetting() throws {
        let path = "Fixtures/schemas/settings.schema.json"
        let fields = ReceiverSetting.all.flatMap(Self.fields)
        let properties = fields.map { "    \"\($0.name)\": {\n\($0.schema)\n    },\n" }.joined()
        let required = fields.map { "    \"\($0.name)\",\n" }.joined()
        var text = try Self.text(
            Fixtures.text(path), with: properties, from: "\"properties\": {\n", to: "    \"firmware\": {")
        text = try Self.text(text, with: required, from: "\"required\": [\n", to: "    \"firmware\",")
        #expect(try Fixtures.holds(text, at: path), Self.advice)
    }

    private static let advice: Comment =
        "The table of settings differs. Run SONDYGO_UPDATE_GOLDEN=1 Tests/one.sh ReceiverSettingTests"

    /// The text with `new` between the first `start` and the next `end`.
    private static func text(
        _ text: String, with new: String, from start: String, to end: String
    ) throws -> String {
        let first = try #require(text.firstRange(of: start)).upperBound
        let last = try #require(text[first...].firstRange(of: end)).lowerBound
        return "\(text[..<first])\(new)\(text[last...])"
    }

    /// The report's fields for a setting.
    private static func fields(_ setting: ReceiverSetting) -> [(name: String, schema: String)] {
        // The report also shows values that a command may not set. Then the schema has no limits.
        let limits = setting.plausible == setting.range ? setting.range : nil
        let number = schema("integer", limits.map { ("\($0.lowerBound)", "\($0.upperBound)") })
        switch setting.form {
        case .number: return [(setting.field, number)]
        case .flag: return [(setting.field, schema("boolean", nil))]
        case .bandwidth: return [(setting.field, number), (setting.field + "_khz", schema("number", ("2.6", "200")))]
        case .callsign: return [(setting.field, "      \"type\": \"string\"")]
        }
    }

    /// A value of this type, or null.
    private static func schema(_ type: String, _ limits: (String, String)?) -> String {
        let types = "      \"type\": [\n        \"\(type)\",\n        \"null\"\n      ]"
        guard let (minimum, maximum) = limits else { return types }
        return types + ",\n      \"minimum\": \(minimum),\n      \"maximum\": \(maximum)"
    }
}
