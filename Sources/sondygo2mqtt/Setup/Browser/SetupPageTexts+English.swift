extension SetupPageTexts {
    static let english = SetupPageTexts(
        titles: [
            .language: "Language", .receiver: "Receiver", .place: "Place", .site: "Launch site", .broker: "Broker",
            .id: "Name of the car", .roads: "Roads on the map", .tablets: "Tablets and phones",
            .callSign: "Your place on SondeHub",
        ],
        questions: [
            .language: "Which language do events, speech and Home Assistant have?",
            .receiver: "Which receiver do you use?", .place: "Where are you, when no GPS says it?",
            .site: "Which sondes do you chase? The page then names the next launches of the site.",
            .broker:
                "Where is your MQTT broker? Home Assistant gets the flight from there. Without one the page works, too.",
            .id: "What is this car called? Its name is a level of its topics.",
            .roads: "Roads from OpenStreetMap while there is a network? Its server then sees where you look.",
            .tablets: "May tablets and phones open the page and command the receiver? They need its key.",
            .callSign: "With a call sign everybody sees this car on SondeHub's map.",
        ],
        labels: [
            .receiver: "Another one: Bluetooth address, or device below /dev",
            .place: "A place: 52.52,13.40, or the link of a map",
            .site: "Another one, by name or number", .broker: "Host or host:port", .user: "User (none: without)",
            .password: "Password (empty: as before)", .id: "a-z 0-9 _ -", .callSign: "Call sign",
        ],
        yes: "Yes", no: "No", firstReceiver: "The first MySondyGo in Bluetooth range", gps: "A GPS says it",
        noSite: "All sondes around", noCallSign: "Do not show this car", connected: "connected", cable: "USB cable",
        answers: "answers", silent: "nothing answers",
        placeFirst: "Say first where you are: then the nearest are here.",
        fixed: "This stands in the box's own configuration, and that counts: change it there.",
        keyless: "This page has no key, so it can't tell you from a guest. On the box, this makes one:",
        readOnly: "This page takes no commands (dashboard.commands), so it changes nothing.",
        words: [
            "heading": "Set up your gateway", "demo": "See a simulated flight first", "next": "Continue",
            "looking": "Looking …", "again": "Look again", "testing": "Testing …",
            "waits": "The answers count when the gateway starts anew.", "restart": "Start anew now",
            "restarting": "The gateway starts anew …", "run": "Run this on the box as well:", "done": "Done",
        ])
}
