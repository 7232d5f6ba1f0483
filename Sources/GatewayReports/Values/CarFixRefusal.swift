/// Why a fix is not used; counted in health.
public enum CarFixRefusal: String, CaseIterable, Sendable {
    /// `car.sources` doesn't name its source.
    case unusedSource = "unused_source"
    /// Not a place on this Earth, or exactly 0 N 0 E, which means "nowhere".
    case invalid
    /// Its accuracy is worse than 100 m.
    case inaccurate
    /// By its own time it is too old, or in the future.
    case wrongTime = "wrong_time"
    /// Its own time went back.
    case backwards
}
