/// The knowledge from earlier flights that helps to predict the followed one.
struct EarlierFlights: Equatable, Sendable {
    var lessons = LessonBook()
    var winds = WindMemory()
}
