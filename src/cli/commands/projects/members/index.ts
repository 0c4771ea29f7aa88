import { defineNoun } from '../../../define.ts'
import add from './add.ts'
import list from './list.ts'
import remove from './remove.ts'

export default defineNoun({
  name: 'members',
  summary: 'List, add and remove the members of a project',
  description:
    'List, add and remove the members of a project. A reader searches, reads and downloads; a writer also uploads, edits and deletes documents; a manager also changes the members and settings of the project, and deletes it. Managers add and remove members, and every member except the last manager may leave.',
  commands: [list, add, remove],
})
