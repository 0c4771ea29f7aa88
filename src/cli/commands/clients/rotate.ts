import { defineCommand } from '../../define.ts'
import { argument, duration, option } from '../../options.ts'
import { administer, DATA_OPTIONS } from '../administer.ts'
import { printApplication } from './show.ts'
import { clientIdOf } from './find.ts'

const MAX_GRACE_SECONDS = 30 * 86_400

export default defineCommand({
  name: 'rotate',
  summary: 'Create a new secret for an application',
  description: 'Create a new secret for an application and print it. The secret is shown only once.',
  arguments: { id: argument('<client-id>', 'Client ID of the application') },
  options: {
    ...DATA_OPTIONS,
    grace: option(
      '--grace <duration>',
      'How long the old secret stays valid: 0, 30m, 12h, 7d (default 1d)',
      duration(MAX_GRACE_SECONDS),
    ),
  },
  examples: ['docsearch clients rotate app_01h… --grace 1h'],
  async run(context, { id }, options) {
    const rotated = await administer(context, options, async (administration) =>
      administration.clients.rotate(await clientIdOf(administration, id), { grace_seconds: options.grace }),
    )
    printApplication(context, rotated)
    context.notice(`The old secret stays valid until ${rotated.old_secrets_expire_at}.`)
  },
})
