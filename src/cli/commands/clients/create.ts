import { DEFAULT_SCOPES, SCOPES } from '../../../core/model.ts'
import { defineCommand } from '../../define.ts'
import { argument, choice, flag, repeatable, required, text } from '../../options.ts'
import { administer, DATA_OPTIONS } from '../administer.ts'
import { printApplication } from './show.ts'

export default defineCommand({
  name: 'create',
  summary: 'Register an application',
  description: 'Register an application and print its client ID and secret. The secret is shown only once.',
  arguments: { name: argument('<name>', 'Name that users see when the application asks for access') },
  options: {
    ...DATA_OPTIONS,
    redirectUris: required(repeatable(text('--redirect-uri <url>', 'Address to which docsearch sends users back, repeatable'))),
    isPublic: flag('--public', 'The application cannot keep a secret and uses PKCE instead'),
    scopes: repeatable(
      choice(
        '--scope <scope>',
        `Permission that the application may ask for, repeatable (default ${DEFAULT_SCOPES.join(' and ')})`,
        SCOPES,
      ),
    ),
  },
  examples: [
    'docsearch clients create Reader --redirect-uri https://app.example.org/back',
    'docsearch clients create Notes --redirect-uri http://127.0.0.1/back --public',
  ],
  async run(context, { name }, options) {
    const created = await administer(context, options, ({ clients }) =>
      clients.create({
        name,
        redirect_uris: options.redirectUris,
        type: options.isPublic ? 'public' : 'confidential',
        ...(options.scopes.length > 0 && { scopes: options.scopes }),
      }),
    )
    printApplication(context, created)
  },
})
