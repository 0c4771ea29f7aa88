import { defineCommand } from '../../define.ts'
import { argument } from '../../options.ts'
import { administer, DATA_OPTIONS } from '../administer.ts'
import { printUser } from './show.ts'
import { USER, userNamed } from './find.ts'

export default defineCommand({
  name: 'enable',
  summary: 'Let a disabled user in again',
  arguments: { user: argument('<user>', USER) },
  options: DATA_OPTIONS,
  examples: ['docsearch users enable ada@example.org'],
  async run(context, { user }, options) {
    printUser(
      context,
      await administer(context, options, async (administration) =>
        administration.users.update(await userNamed(administration, user), { disabled: false }),
      ),
    )
  },
})
