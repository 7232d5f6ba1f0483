import Testing

@testable import GatewayRuntime

@Suite struct ProcessMemoryTests {
    @Test func residentAndAnonymousMemoryAreRead() throws {
        let ballast = [UInt8](repeating: 1, count: 40_000_000)
        let memory = ProcessMemory.current
        let resident = try #require(memory.residentBytes)
        let anonymous = try #require(memory.anonymousBytes)
        #expect(anonymous >= ballast.count && anonymous < resident && resident < 1 << 40)
    }
}
