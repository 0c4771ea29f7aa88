import { expect, test } from 'vitest'
import { chunkDocument } from '../../../../src/chunk/chunk.ts'
import { documentText } from '../../../../src/core/parsed.ts'
import { LANGUAGE_EXTENSIONS } from '../../../../src/core/formats.ts'
import { LANGUAGES } from '../../../../src/parse/code/languages.ts'
import { parseBytes } from '../../../support/parse-file.ts'

/** Returns the definitions with the lines that they begin at, indented by their depth. An empty title ends a definition. */
async function outline(source: string, name: string): Promise<string[]> {
  const { pages } = await parseBytes(source, name)
  const { text, blocks } = pages[0]!
  return blocks.flatMap(({ start, section }) => {
    if (section === undefined) return []
    return `${text.slice(0, start).split('\n').length}${'  '.repeat(section.level)}${section.title}`
  })
}

test.each<[string, string, string[]]>([
  [
    'a.py',
    'import os\n\n# The keeper.\n@dataclass\nclass Keeper(Base):\n    """def no(): pass"""\n    x = 1\n\n    async def light(\n        self,\n    ) -> None:\n        def inner():\n            pass\n\ndef main():\n    pass\n\nif True:\n    main()\n',
    ['3  class Keeper', '9    def light', '15  def main', '18  '],
  ],
  [
    'a.c',
    '#include <a.h>\nint proto(int a);\n/* Opens. */\nstatic int\nopen_gate(struct gate *g)\n{\n  if (g) return call(g);\n}\n\nstruct gate {\n  int a;\n};\nint x = 3;\n',
    ['3  open_gate', '10  struct gate', '13  '],
  ],
  [
    'a.cpp',
    'namespace harbour {\n\nclass Gate : public Wall {\npublic:\n  Gate();\n  void open() { x(); }\n};\n\nvoid Gate::close(int a,\n                 int b) {\n}\n}\n',
    ['1  namespace harbour', '3  class Gate', '6    open', '9  Gate::close'],
  ],
  [
    'A.java',
    'package a;\n\n@Service\npublic final class Gate<T> implements Wall {\n    private int x = f(3);\n    @Override\n    public List<String> open(int a) throws Bad {\n        return call(a);\n    }\n    interface Inner {\n        void run();\n    }\n}\n',
    ['3  class Gate', '6    open', '10    interface Inner', '11      run'],
  ],
  [
    'a.go',
    'package a\n\n// Open opens.\nfunc (g *Gate) Open(x int) {\n}\n\ntype Gate struct {\n\tx int\n}\n',
    ['3  func (g *Gate) Open', '7  type Gate'],
  ],
  [
    'a.rs',
    "#[derive(Debug)]\npub struct Gate<'a> { x: &'a str }\n\nimpl<'a> Wall for Gate<'a> {\n    pub(crate) async fn open(&self) -> char {\n        '\"'\n    }\n}\n",
    ['1  struct Gate', "4  impl Wall for Gate<'a>", '5    fn open'],
  ],
  [
    'a.rb',
    'module A\n  class Gate < Wall\n    def open?(x)\n      1\n    rescue\n      2\n    end\n  end\nend\n',
    ['1  module A', '2    class Gate', '3      def open?'],
  ],
  [
    'a.kt',
    'data class Gate(val x: Int)\n\nfun String.open(x: Int): Int {\n    return 1\n}\n',
    ['1  class Gate', '3  fun String.open'],
  ],
  [
    'a.swift',
    'public struct Gate {\n    init(x: Int) {}\n    func open() {}\n}\n',
    ['1  struct Gate', '2    init', '3    func open'],
  ],
  ['a.scala', 'object Gate extends App {\n  def open(x: Int) = 3\n}\n', ['1  object Gate', '2    def open']],
  [
    'a.cs',
    'namespace A\n{\n    public class Gate\n    {\n        public int X { get; set; }\n        public async Task<int> Open(int x)\n        {\n        }\n    }\n}\n',
    ['1  namespace A', '3    class Gate', '6      Open'],
  ],
  [
    'a.php',
    '<?php\nfinal class Gate {\n    public static function open() {\n    }\n}\n',
    ['2  class Gate', '3    function open'],
  ],
  ['a.sh', '#!/bin/sh\nopen_gate() {\n  echo "x() {"\n}\nfunction close {\n  :\n}\n', ['1  open_gate', '5  function close']],
  [
    'a.sql',
    'CREATE TABLE IF NOT EXISTS gates (\n  id int\n);\n\ncreate or replace function open_gate() returns int as $$\nbegin\nend\n$$;\n',
    ['1  TABLE gates', '5  function open_gate'],
  ],
  ['a.pl', 'package A;\nsub open_gate {\n  1;\n}\n', ['2  sub open_gate']],
  [
    'a.lua',
    'local function open(x)\nend\n--[[ function no() ]]\nM.close = function()\nend\n',
    ['1  function open', '3  function M.close'],
  ],
  ['a.R', 'open <- function(x) {\n  1\n}\n', ['1  function open']],
  [
    'a.yaml',
    'services:\n  gate:\n    image: x\n  keeper:\n    image: y\nname: z\n',
    ['1  services', '2    gate', '4    keeper', '6  '],
  ],
  ['a.toml', '[package]\nname = "a"\n\n[[bin]]\nname = "b"\n', ['1  package', '4  bin']],
  ['Dockerfile', 'FROM node:24 AS build\nRUN x\nFROM scratch\n', ['1  FROM node:24 AS build', '3  FROM scratch']],
  ['Makefile', 'CC = gcc\nall: gate.o\n\tcc x\n\nclean:\n\trm x\n', ['2  all', '5  clean']],
  [
    'a.ts',
    'export type A = 1\nexport const open = async (x: number) => {\n  const y = () => 3\n}\ninterface B {\n  run(x: number): void\n}\n',
    ['1  type A', '2  open', '5  interface B', '6    run'],
  ],
  [
    'a.test.ts',
    "describe('gates', () => {\n  it('opens', () => {\n    expect(1)\n  })\n})\n",
    ['1  describe gates', '2    it opens'],
  ],
])('finds the definitions of %s', async (name, source, expected) => {
  expect(await outline(source, name)).toEqual(expected)
})

test('a passage has the definitions around it as its heading, and includes the comment above', async () => {
  const body = Array.from({ length: 40 }, (_, i) => `        total += weight_of(stone_${i})`).join('\n')
  const source = `import os\n\nclass Wall:\n    """A wall."""\n\n    # Counts the stones.\n    def count(self):\n${body}\n\n    def build(self):\n${body}\n`
  const { pages } = await parseBytes(source, 'wall.py')
  const passages = chunkDocument(pages, { maxTokens: 2_000, countTokens: (text) => text.split(/\W+/).length })
  const count = passages.find(({ text }) => text.includes('def count'))!
  expect(count.headingPath).toEqual(['class Wall', 'def count'])
  expect(count.text).toContain('# Counts the stones.')
  expect(passages.find(({ text }) => text.includes('def build'))!.headingPath).toEqual(['class Wall', 'def build'])
  for (const { text, charStart, charEnd } of passages) expect(documentText(pages).slice(charStart, charEnd)).toBe(text)
})

test('the lines of the text are those of the file', async () => {
  const source = '\n\n  first\r\n\r\n\fsecond\tx\n'
  const { pages } = await parseBytes(source, 'a.c')
  expect(pages[0]!.text.split('\n')).toEqual(['', '', '  first', '', 'second\tx'])
})

test('each language with extensions has exactly one set of rules', () => {
  expect(LANGUAGES.map(({ name }) => name).toSorted()).toEqual(Object.keys(LANGUAGE_EXTENSIONS).toSorted())
})

test.each([
  ['run', '#!/usr/bin/env python3\nprint(1)\n', 'text/x-source'],
  ['run', '#!/usr/bin/env nothing-known\n', 'text/plain'],
  ['makefile', 'all:\n', 'text/x-source'],
  ['notes.txt', '#!/bin/sh\necho\n', 'text/plain'],
  ['CMakeLists.txt', 'project(x)\n', 'text/plain'],
  ['page.js', '<!doctype html><html></html>', 'text/x-source'],
])('%s with %j is %s', async (name, source, mediaType) => {
  expect((await parseBytes(source, name)).mediaType).toBe(mediaType)
})
