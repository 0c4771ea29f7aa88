import { InvalidArgumentError } from 'commander'
import { defineCommand } from '../../define.ts'
import { usage } from '../../exit.ts'
import { argument, integer, option } from '../../options.ts'
import { administer, DATA_OPTIONS } from '../administer.ts'
import { printUser } from './show.ts'
import { USER, userNamed } from './find.ts'

const UNITS: Record<string, number> = { '': 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 }
const OTHER_VALUES = '`none` for no quota, `default` for the quota of the instance'

export default defineCommand({
  name: 'quota',
  summary: 'Set the quotas of a user',
  description:
    "Set how many documents, bytes and passages a user may have. A user over a quota can't add documents. docsearch never deletes documents because of a quota.",
  arguments: { user: argument('<user>', USER) },
  options: {
    ...DATA_OPTIONS,
    documents: option('--documents <number>', `Maximum number of documents; ${OTHER_VALUES}`, amount(integer(1))),
    bytes: option('--bytes <size>', `Maximum size of all files, such as 5GB; ${OTHER_VALUES}`, amount(size)),
    passages: option('--passages <number>', `Maximum number of passages; ${OTHER_VALUES}`, amount(integer(1))),
  },
  examples: ['docsearch users quota ada@example.org --bytes 5GB --documents none'],
  async run(context, { user }, { documents, bytes, passages, ...options }) {
    const quota = { documents: orNull(documents), bytes: orNull(bytes), passages: orNull(passages) }
    if (Object.values(quota).every((value) => value === undefined))
      throw usage('Nothing to set. Pass --documents, --bytes or --passages.')
    printUser(
      context,
      await administer(context, options, async (administration) =>
        administration.users.update(await userNamed(administration, user), { quota }),
      ),
    )
  },
})

/**
 * Parses a quota. `none` becomes 0, as in the API. Commander treats null as a missing value, so `default` becomes null only in
 * `orNull`.
 */
function amount(parse: (value: string) => number): (value: string) => number | 'default' {
  return (value) => (value === 'default' ? value : value === 'none' ? 0 : parse(value))
}

function orNull(value: number | 'default' | undefined): number | null | undefined {
  return value === 'default' ? null : value
}

function size(value: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,15}(?:\.\d+)?) ?([a-z]{0,2})$/i.exec(value) ?? []
  const bytes = Math.round(Number(digits) * (UNITS[unit.toLowerCase()] ?? NaN))
  if (digits !== '' && bytes >= 1 && Number.isSafeInteger(bytes)) return bytes
  throw new InvalidArgumentError('It must be a size such as 500MB or 5GB.')
}
