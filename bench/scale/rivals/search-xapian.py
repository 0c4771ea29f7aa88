"""Xapian for the comparison. Reads JSON lines: texts to index until "built", then questions to answer."""

import json
import sys

import xapian

database = xapian.WritableDatabase(sys.argv[1], xapian.DB_CREATE_OR_OVERWRITE | xapian.DB_NO_SYNC)
generator = xapian.TermGenerator()
generator.set_stemmer(xapian.Stem("en"))
for line in sys.stdin:
    texts = json.loads(line)
    if texts == "built":
        break
    for text in texts:
        document = xapian.Document()
        document.set_data(text)
        generator.set_document(document)
        generator.index_text_without_positions(text)
        database.add_document(document)
database.commit()
database.close()
print(json.dumps("built"), flush=True)

database = xapian.Database(sys.argv[1])
parser = xapian.QueryParser()
parser.set_stemmer(xapian.Stem("en"))
parser.set_stemming_strategy(xapian.QueryParser.STEM_SOME)
enquire = xapian.Enquire(database)
for line in sys.stdin:
    enquire.set_query(parser.parse_query(json.loads(line), 0))
    found = [match.document.get_data().decode() for match in enquire.get_mset(0, 10)]
    print(json.dumps(found), flush=True)
