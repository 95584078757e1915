"""Study plans: concepts with their sources, practice questions, progress and a tutor (G1 to G4).

Imports chatbots, references, corpus, engines, rest and schools. `classrooms` shows plans to pupils; nothing
else imports it but the URLs of config.
"""
