import { Option, type Command } from 'commander'
import { DEFAULT_SCOPES, SCOPES } from '../core/model.ts'
import { addNoun, type Load, type On } from './command.ts'
import { collect, duration, integer, scopes } from './options.ts'

/** The nouns of an instance: over the API as its owner, or on its data folder. */
export function addAdministration(program: Command, on: On): void {
  addUsers(program, on)
  addClients(program, on)
  addModels(program, on)
}

/** For the noun and all of its commands. */
function withData(noun: Command): Command {
  return noun.option(
    '--data <folder>',
    'work on this data folder, whether or not a daemon runs on it (DOCSEARCH_DATA, where no instance is named)',
  )
}

/** For the commands that make a link. */
function publicUrl(): Option {
  return new Option('--public-url <url>', 'address for the link, with --data (default: where the daemon was last served)')
}

function addUsers(program: Command, on: On): void {
  const list: Load = () => import('./commands/users/list.ts')
  const noun = addNoun(
    withData(
      program.command('users').description('add, list, disable, reset and delete the people of an instance, as its owner'),
    ),
    list,
    on,
  )
  const verb = (name: string, description: string) => noun.command(name).description(description)
  on(
    verb('add', 'make an account; without a password, print a link with which the person makes one')
      .argument('<email>')
      .option('--name <name>', 'what the person is called (default: what stands before the @)')
      .option('--password-stdin', 'read the password from standard input')
      .option('--owner', "complete the owner's own account, which has no password yet")
      .addOption(publicUrl()),
    () => import('./commands/users/add.ts'),
    'docsearch users add ada@example.org --name "Ada Lovelace"',
    'docsearch users add me@example.org --owner --password-stdin --data /srv/docsearch < password.txt',
  )
  on(
    verb('list', 'list the users').alias('ls').option('-n, --limit <number>', 'how many (default all)', integer(1)),
    list,
    'docsearch users list --json',
  )
  on(
    verb('show', 'show a user').argument('<user>', 'email or id'),
    () => import('./commands/users/show.ts'),
    'docsearch users show ada@example.org',
  )
  on(
    verb('disable', 'lock a user out; documents stay').argument('<user>', 'email or id'),
    () => import('./commands/users/disable.ts'),
    'docsearch users disable ada@example.org',
  )
  on(
    verb('enable', 'let a user in again').argument('<user>', 'email or id'),
    () => import('./commands/users/enable.ts'),
    'docsearch users enable ada@example.org',
  )
  on(
    verb('reset', 'print a link with which a user makes a new password').argument('<user>', 'email or id').addOption(publicUrl()),
    () => import('./commands/users/reset.ts'),
    'docsearch users reset ada@example.org',
  )
  on(
    verb('delete', 'delete a user with all documents, keys and applications')
      .alias('rm')
      .argument('<user>', 'email or id')
      .option('-y, --yes', 'do not ask'),
    () => import('./commands/users/delete.ts'),
    'docsearch users delete ada@example.org --yes',
  )
}

const MOST_GRACE_SECONDS = 30 * 86_400

function addClients(program: Command, on: On): void {
  const list: Load = () => import('./commands/clients/list.ts')
  const noun = addNoun(
    withData(
      program
        .command('clients')
        .description('register, list, show, rotate and delete applications that may ask users for access (OAuth 2.0)'),
    ),
    list,
    on,
  )
  const verb = (name: string, description: string) => noun.command(name).description(description)
  on(
    verb('create', 'register an application; its secret is printed this once')
      .argument('<name>', 'people see it when they are asked to agree')
      .requiredOption('--redirect-uri <url>', 'where users are sent back to; may be repeated', collect)
      .option('--public', 'it runs with its user and can keep no secret: PKCE instead of one')
      .addOption(
        new Option('--scope <scope>', `what it may ask for (default ${DEFAULT_SCOPES.join(' and ')}); may be repeated`)
          .choices(SCOPES)
          .argParser(scopes),
      ),
    () => import('./commands/clients/create.ts'),
    'docsearch clients create "Reading list" --redirect-uri https://app.example.org/callback',
    'docsearch clients create notes --redirect-uri http://127.0.0.1/callback --public --scope read:documents --json',
  )
  on(verb('list', 'list the applications').alias('ls'), list, 'docsearch clients list')
  on(
    verb('show', 'show an application').argument('<client-id>'),
    () => import('./commands/clients/show.ts'),
    'docsearch clients show app_01h…',
  )
  on(
    verb('rotate', 'make a new secret; it is printed this once')
      .argument('<client-id>')
      .option(
        '--grace <duration>',
        'how long the old secret stays good: 0, 30m, 12h, 7d (default 1d)',
        duration(MOST_GRACE_SECONDS),
      ),
    () => import('./commands/clients/rotate.ts'),
    'docsearch clients rotate app_01h… --grace 1h',
  )
  on(
    verb('delete', 'delete an application; whoever connected it is disconnected')
      .alias('rm')
      .argument('<client-id>')
      .option('-y, --yes', 'do not ask'),
    () => import('./commands/clients/delete.ts'),
    'docsearch clients delete app_01h… --yes',
  )
}

function addModels(program: Command, on: On): void {
  const list: Load = () => import('./commands/models/list.ts')
  const noun = addNoun(
    program.command('models').description('list the embedding models, download one, and change to another without a pause'),
    list,
    on,
  )
  on(
    noun.command('list').alias('ls').description('list the models and their indexes: in use, being built, kept'),
    list,
    'docsearch models list --json',
  )
  on(
    noun
      .command('pull')
      .description("download a model through the instance's Ollama; Ctrl-C ends that, and asked for again it goes on")
      .argument('<model>', 'as Ollama names it'),
    () => import('./commands/models/pull.ts'),
    'docsearch models pull embeddinggemma',
  )
  on(
    noun
      .command('use')
      .description(
        'embed everything anew with another model; searches go on with the index in use until the new one is whole. The choice outlasts a restart, unless `serve` is given an --embedder by name',
      )
      .argument('<model>', 'builtin, or a model of Ollama')
      .option('-w, --wait', 'wait until it is in use'),
    () => import('./commands/models/use.ts'),
    'docsearch models use embeddinggemma --wait',
    'docsearch models use builtin',
  )
  on(
    noun
      .command('remove')
      .alias('rm')
      .description('drop the index of a model that is kept, or end the building of one; the model itself stays with Ollama')
      .argument('<model>', 'builtin, or a model of Ollama')
      .option('-y, --yes', 'do not ask'),
    () => import('./commands/models/remove.ts'),
    'docsearch models remove builtin --yes',
  )
}
