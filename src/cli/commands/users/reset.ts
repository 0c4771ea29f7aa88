import { defineCommand } from '../../define.ts'
import { argument } from '../../options.ts'
import { administer, DATA_OPTIONS, publicUrl } from '../administer.ts'
import { printUser } from './show.ts'
import { USER, userNamed } from './find.ts'

export default defineCommand({
  name: 'reset',
  summary: 'Print a link that lets a user set a new password',
  arguments: { user: argument('<user>', USER) },
  options: { ...DATA_OPTIONS, publicUrl },
  examples: ['docsearch users reset ada@example.org'],
  async run(context, { user }, options) {
    printUser(
      context,
      await administer(context, options, async (administration) =>
        administration.users.reset(await userNamed(administration, user)),
      ),
    )
  },
})
