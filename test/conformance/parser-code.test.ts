import { parserConformance } from './parser.ts'

const SOURCE = `// Copyright of the harbour office.
import { tide } from './tide.js'

/** Keeps the lantern of the harbour. */
export class GateKeeper {
  constructor(lantern) {
    this.lantern = lantern
  }

  // Called at dusk.
  lightUp() {
    return \`class NotOne {\${this.lantern}\`
  }
}

export function openGate(keeper) {
  if (tide() > 3) keeper.lightUp()
}
`

parserConformance('code', async () => ({
  bytes: Buffer.from(SOURCE),
  fileName: 'gate.js',
  mediaType: 'text/x-source',
  expected: {
    engine: 'code',
    encoding: 'utf-8',
    title: null,
    pageCount: 1,
    texts: [
      '// Copyright',
      'import { tide }',
      'export class GateKeeper {',
      '    this.lantern = lantern',
      'export function openGate',
    ],
    kinds: ['code'],
  },
  broken: {
    'a comment that is never closed': Buffer.from(`/* ${'function a() {\n'.repeat(10_000)}`),
    'strings that are never closed': Buffer.from(`const a = "\n'\n\`\n`.repeat(5_000)),
    'a hundred thousand open brackets': Buffer.from('{(['.repeat(100_000)),
    'a million blank lines': Buffer.from(`a${'\n'.repeat(1_000_000)}b`),
    'ten thousand nested classes': Buffer.from(
      Array.from({ length: 3_000 }, (_, i) => `${' '.repeat(Math.min(i, 900))}class A${i} {\n`).join(''),
    ),
    'a line of a megabyte': Buffer.from('function a(){return 1}'.repeat(50_000)),
  },
}))
