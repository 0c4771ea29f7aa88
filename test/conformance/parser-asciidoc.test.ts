import { parserConformance } from './parser.ts'

const SOURCE = `// A comment for authors.
= The harbour
Ada Lovelace <ada@example.org>
:office: Harbour _office_
:toc:

The *gate*keeper and the *gatekeeper* keep the \`lantern\`, see <<mill>>, https://x.example[ferries,window=_blank] and \\*stars*.
The {office} has {unknown} and \`+{office}+\`.footnote:[Only in summer.]
include::/etc/passwd[]

////
Not printed.
////

[[mill]]
== The mill

NOTE: Nobody rings.

. opens the gate
** quietly
. rings twice
+
[source,sh]
----
gate --open <1>
include::secret[]
----
<1> At dusk.

\`-n\`::
  Does nothing.

[cols="2*",options="header"]
|===
|Day |Hour

|Mon
|noon *sharp*

2+|closed
|===

[WARNING]
====
Beware of the tide.
====

ifdef::night[]
The night.
endif::[]

Two lines
~~~~~~~~~
  as written
`

parserConformance('asciidoc', async () => ({
  bytes: Buffer.from(SOURCE),
  fileName: 'harbour.adoc',
  mediaType: 'text/asciidoc',
  expected: {
    engine: 'asciidoc',
    encoding: 'utf-8',
    title: 'The harbour',
    pageCount: 1,
    texts: [
      'The harbour\n\nAda Lovelace <ada@example.org>\n\nThe *gate*keeper and the gatekeeper keep the lantern, see The mill, ferries and *stars*. The Harbour office has {unknown} and {office}. (Only in summer.)\n\nThe mill',
      'NOTE: Nobody rings.',
      '1. opens the gate\n- quietly\n2. rings twice\n\ngate --open\n\n1. At dusk.\n-n: Does nothing.',
      'Day | Hour\nMon | noon sharp\nclosed |',
      'WARNING: Beware of the tide.\n\nThe night.\n\nTwo lines\n\nas written',
    ],
    kinds: ['heading', 'paragraph', 'list_item', 'code', 'table_row'],
  },
  broken: {
    'attributes of attributes': Buffer.from(
      `${Array.from({ length: 20 }, (_, i) => `:a${i}: ${i === 0 ? 'x' : `{a${i - 1}}`.repeat(10)}\n`).join('')}\n${'{a19}'.repeat(100_000)}`,
    ),
    'an attribute of itself': Buffer.from(':a: {a}{a}\n\n{a}\n'),
    'cross references to a long title': Buffer.from(`[[a]]\n== ${'b '.repeat(200)}\n\n${'<<a>>'.repeat(100_000)}`),
    'a hundred thousand rules': Buffer.from('====\n'.repeat(100_000)),
    'code that is never closed': Buffer.from(`----\n${'a <1>\n'.repeat(100_000)}`),
    'lists in lists': Buffer.from(Array.from({ length: 50_000 }, (_, i) => `${'*'.repeat((i % 6) + 1)} a\n`).join('')),
    'a table of a million columns': Buffer.from(`[cols="9999*"]\n|===\n${'9999*|a '.repeat(1_000)}\n|===\n`),
    'cells that span all rows': Buffer.from(`|===\n${'.9999+|a\n'.repeat(50_000)}`),
    'escaped bars': Buffer.from(`|===\n|${'\\|'.repeat(200_000)}\n`),
    'quotes of fields that are never closed': Buffer.from(`,===\n${'"a,'.repeat(200_000)}\n,===\n`),
    'marks that are never closed': Buffer.from('`a *b _c #d ^e ~f +g '.repeat(20_000)),
    'links that are never closed': Buffer.from('http://a[b <<c link:d[ footnote:[e ((f '.repeat(10_000)),
    'blanks of a megabyte': Buffer.from(`a${' '.repeat(1_000_000)}b\n`),
    'a line of colons': Buffer.from(`a ${':'.repeat(500_000)}\n`),
  },
}))
