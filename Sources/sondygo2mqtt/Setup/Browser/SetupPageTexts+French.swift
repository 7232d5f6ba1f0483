extension SetupPageTexts {
    static let french = SetupPageTexts(
        titles: [
            .language: "Langue", .receiver: "Récepteur", .place: "Lieu", .site: "Site de lancement", .broker: "Broker",
            .id: "Nom de la voiture", .roads: "Routes sur la carte", .tablets: "Tablettes et téléphones",
            .callSign: "Votre position sur SondeHub",
        ],
        questions: [
            .language: "Quelle langue pour les messages, la voix et Home Assistant ?",
            .receiver: "Quel récepteur utilisez-vous ?", .place: "Où êtes-vous, quand aucun GPS ne le dit ?",
            .site: "Quelles sondes suivez-vous ? La page annonce alors les prochains lancements.",
            .broker: "Où est votre broker MQTT ? Home Assistant y reçoit le vol. La page fonctionne aussi sans.",
            .id: "Comment s'appelle cette voiture ? Son nom est un niveau de ses topics.",
            .roads: "Routes d'OpenStreetMap tant qu'il y a du réseau ? Son serveur voit alors ce que vous regardez.",
            .tablets:
                "Les tablettes et téléphones peuvent-ils ouvrir la page et commander le récepteur ? Il leur faut sa clé.",
            .callSign: "Avec un indicatif, tout le monde voit cette voiture sur la carte de SondeHub.",
        ],
        labels: [
            .receiver: "Un autre : adresse Bluetooth, ou périphérique sous /dev",
            .place: "Un lieu : 52.52,13.40, ou le lien d'une carte",
            .site: "Un autre, par son nom ou son numéro", .broker: "Hôte ou hôte:port",
            .user: "Utilisateur (none : aucun)",
            .password: "Mot de passe (vide : inchangé)", .id: "a-z 0-9 _ -", .callSign: "Indicatif",
        ],
        yes: "Oui", no: "Non", firstReceiver: "Le premier MySondyGo à portée Bluetooth", gps: "Un GPS le dit",
        noSite: "Toutes les sondes alentour", noCallSign: "Ne pas montrer cette voiture", connected: "connecté",
        cable: "Câble USB",
        answers: "répond", silent: "rien ne répond",
        placeFirst: "Dites d'abord où vous êtes : les plus proches seront ici.",
        fixed: "C'est écrit dans la configuration de cette machine, qui l'emporte : changez-le là.",
        keyless:
            "Cette page n'a pas de clé : elle ne vous distingue pas d'un invité. Sur la machine, ceci en crée une :",
        readOnly: "Cette page n'accepte pas de commandes (dashboard.commands) : elle ne change rien.",
        words: [
            "heading": "Configurer la passerelle", "demo": "Voir d'abord un vol simulé", "next": "Continuer",
            "looking": "Recherche …", "again": "Chercher encore", "testing": "Vérification …",
            "waits": "Les réponses comptent quand la passerelle redémarre.", "restart": "Redémarrer maintenant",
            "restarting": "La passerelle redémarre …", "run": "À lancer aussi sur la machine :", "done": "Terminé",
        ])
}
