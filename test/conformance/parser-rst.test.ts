import { parserConformance } from './parser.ts'

const SOURCE = `===========
The harbour
===========

.. A comment for authors.

The *gatekeeper* keeps the **lantern**, see :ref:\`the mill <mill>\` and \`ferries <https://x>\`_ [1]_.

By night
--------

- opens the gate::

      gate --open

- rings twice

.. note:: Nobody rings
   on Sundays.

.. code-block:: python
   :linenos:

   ring(2)

===== =====
Day   Hour
===== =====
Mon   noon
===== =====

+-----+------+
| Tue | dusk |
+-----+------+

.. [1] Only in summer.
`

parserConformance('rst', async () => ({
  bytes: Buffer.from(SOURCE),
  fileName: 'harbour.rst',
  mediaType: 'text/x-rst',
  expected: {
    engine: 'rst',
    encoding: 'utf-8',
    title: 'The harbour',
    pageCount: 1,
    texts: [
      'The harbour\n\nThe gatekeeper keeps the lantern, see the mill and ferries.',
      'By night',
      '- opens the gate:',
      'gate --open',
      '- rings twice',
      'Nobody rings',
      'on Sundays.',
      'ring(2)',
      'Day | Hour\nMon | noon',
      'Tue | dusk',
      'Only in summer.',
    ],
    kinds: ['heading', 'paragraph', 'list_item', 'code', 'table_row'],
  },
  broken: {
    'a hundred thousand rules': Buffer.from('====\n'.repeat(100_000)),
    'notes in notes': Buffer.from(`${'.. [1] '.repeat(5_000)}a\n`),
    'a table that never ends': Buffer.from(`=== ===\n${'a   b\n'.repeat(50_000)}`),
    'quotes that are never closed': Buffer.from('`a '.repeat(100_000)),
    'stars that are never closed': Buffer.from('*a '.repeat(100_000)),
    'blanks of a megabyte': Buffer.from(`a${' '.repeat(1_000_000)}b\n`),
  },
}))
