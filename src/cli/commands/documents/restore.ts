import { defineCommand } from '../../define.ts'
import { argumentList } from '../../options.ts'
import { oneLine } from '../../view/safe.ts'
import { inProject, trashedId } from './find.ts'
import { changeEach } from './together.ts'
import { restoring } from './undo.ts'

export default defineCommand({
  name: 'restore',
  summary: 'Restore documents from the trash',
  description:
    'Restore documents from the trash: deleted documents and replaced versions. A restored document gets its path back, and docsearch reads it again. If another document has taken the path, that document goes to the trash.',
  arguments: { documents: argumentList('<document...>', 'IDs, or paths or names that only one document in the trash has') },
  options: { project: inProject },
  examples: ['docsearch documents list --trashed', 'docsearch documents restore doc_01h…'],
  async run(context, { documents }, { project }) {
    const client = await context.client()
    const replaced: { id: string; by: string; undo: string }[] = []
    const changes = {
      client,
      documents,
      find: (given: string) => trashedId(client, given, project),
      action: { action: 'restore' as const },
      done: 'restored',
      fields: async () => ({ replaced }),
    }
    await changeEach(context, changes, async (id, back) => {
      const restored = back ?? (await client.documents.restore(id))
      const { replaced_id } = restored
      if (replaced_id === null || replaced_id === undefined) return id
      const undo = restoring([replaced_id])
      replaced.push({ id: replaced_id, by: id, undo })
      if (context.json) return id
      const { path } = 'path' in restored ? restored : await client.documents.get(id)
      context.notice(`The document that was at ${oneLine(path)} is in the trash now. To undo this, run \`${undo}\`.`)
      return id
    })
  },
})
