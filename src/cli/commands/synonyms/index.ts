import { defineNoun } from '../../define.ts'
import add from './add.ts'
import importFile from './import.ts'
import list from './list.ts'
import remove from './remove.ts'

export default defineNoun({
  name: 'synonyms',
  summary: 'List, add, remove and import synonyms for searches',
  description: 'List, add, remove and import words for the same thing. A search in a project uses its synonyms at once.',
  commands: [list, add, remove, importFile],
  standalone: list,
})
