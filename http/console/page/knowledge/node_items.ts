/** Actions on a node, for menus. */
import type { MenuItem } from '../ui/overlays/menu.tsx'
import type { DialogRequest } from './shared.ts'

export function nodeItems(
  { _id: id, type }: { _id: string; type: 'folder' | 'document' },
  ask: (request: DialogRequest) => void,
): MenuItem[] {
  const inside: MenuItem[] = [
    { text: 'New document', icon: 'file', act: () => ask({ kind: 'document', folder: id }) },
    { text: 'New folder', icon: 'folder', act: () => ask({ kind: 'folder', folder: id }) },
    { text: 'Import files…', icon: 'upload', act: () => ask({ kind: 'files', folder: id }) },
    { text: 'Import web pages…', icon: 'link', act: () => ask({ kind: 'addresses', folder: id }) },
    'line',
  ]
  return [
    ...(type === 'folder' ? inside : []),
    { text: 'Rename…', icon: 'edit', keys: 'F2', act: () => ask({ kind: 'rename', id }) },
    { text: 'Move to…', icon: 'next', act: () => ask({ kind: 'move', id }) },
    'line',
    { text: 'Delete…', icon: 'trash', keys: 'delete', is_danger: true, act: () => ask({ kind: 'delete', id }) },
  ]
}
