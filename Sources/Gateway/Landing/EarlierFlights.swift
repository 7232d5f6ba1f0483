/// What earlier flights teach about one that is followed.
struct EarlierFlights: Equatable, Sendable {
    var lessons = LessonBook()
    var winds = WindMemory()
}
