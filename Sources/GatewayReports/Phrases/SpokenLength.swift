/// How long a voice takes to say a text. The numbers are fitted to espeak-ng at 170 words a minute, in four languages.
struct SpokenLength: Equatable {
    private(set) var seconds = 0.0

    init(_ text: String) {
        // A letter that stands alone is spelled: "H B, 9 X".
        for word in text.split(separator: " ") {
            let letters = word.count { $0.isLetter }
            seconds += letters == 1 && word.first?.isUppercase == true ? 0.28 : 0.062 * Double(letters)
            seconds += 0.33 * Double(word.count { $0.isNumber })
            // The tenths: "point five".
            if word.dropLast().contains(where: { ".,".contains($0) }) { seconds += 0.32 }
            // A pause.
            if let end = word.last, ".:;?!".contains(end) { seconds += 0.39 }
            if word.last == "," { seconds += 0.21 }
        }
    }
}
