import { InvalidArgumentError } from 'commander'
import { defineCommand } from '../../define.ts'
import { flag, option, path } from '../../options.ts'

export default defineCommand({
  name: 'doctor',
  summary: 'Check an instance and its data for damage',
  description:
    'Check an instance and its data for damage: originals, database, index, statistics, permissions, disk, clock, address and models. ' +
    'The command checks the instance that you are logged in to as its owner, or a data folder with or without a running daemon.',
  options: {
    data: path('--data <folder>', 'Check this data folder directly (DOCSEARCH_DATA, unless you name an instance)'),
    subset: option('--subset <part>', 'Read only a part of the originals, such as 1/10', subset),
    fix: flag('--fix', 'Make safe repairs, and report them'),
  },
  details: [
    'The command reads every original and compares it with its hash, which takes as long as reading the files. --subset 1/10 reads a',
    'tenth of them: run 2/10 the next day, and so on.',
    '',
    '--fix never deletes the only copy of anything. docs/doctor.md explains every finding.',
    '',
    'Exit codes of this command: 0 there are no findings, or all are repaired; 3 there are findings; 7 the database is damaged, or a',
    'check could not run.',
  ].join('\n'),
  examples: [
    'docsearch doctor',
    'docsearch doctor --data /var/lib/docsearch --subset 1/10',
    'docsearch doctor --fix',
    'docsearch doctor --json | jq .findings',
  ],
  async run(context, _args, { data, subset: part = '1/1', fix }) {
    const { doctor } = await import('./doctor.ts')
    return doctor(context, { data, subset: part, fix })
  },
})

function subset(value: string): string {
  const [, part = 0, of = 0] = /^(\d{1,6})\/(\d{1,6})$/.exec(value)?.map(Number) ?? []
  if (part >= 1 && part <= of) return value
  throw new InvalidArgumentError('It must be a part such as 1/10: the first number from 1 to the second.')
}
