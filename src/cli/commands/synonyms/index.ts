import { defineNoun } from '../../define.ts'
import add from './add.ts'
import importFile from './import.ts'
import list from './list.ts'
import remove from './remove.ts'

export default defineNoun({
  name: 'synonyms',
  summary: 'List, add, remove and import synonyms for searches',
  description:
    'List, add, remove and import synonyms: words and phrases for the same thing. Searches in a project use its synonyms at once.',
  commands: [list, add, remove, importFile],
  standalone: list,
})
