/** Knowledge of the demo: a small shop's policies, in two languages. */
import { type KnowledgeNode, objectId } from '../../../storage/mod.ts'

type Document = { name: string; language: string; content: string }

const FOLDERS: Record<string, Document[]> = {
  Policies: [
    {
      name: 'Returns',
      language: 'en',
      content: `# Returns

Goods may be returned within 30 days, unused and in their box. Write to us with the number of your order; we send you a
label. The refund arrives on the card that you paid with within five working days.

- Sale items can be exchanged, not refunded.
- Gift cards cannot be returned.`,
    },
    {
      name: 'Devoluciones',
      language: 'es',
      content: `# Devoluciones

Puede devolver los artículos en un plazo de 30 días, sin usar y en su caja. Escríbanos con el número de su pedido y le
enviaremos una etiqueta. El reembolso llega en cinco días laborables a la tarjeta con la que pagó.`,
    },
  ],
  Shipping: [
    {
      name: 'Delivery times and costs',
      language: 'en',
      content: `# Delivery

Parcels leave our warehouse every working day at noon. Standard delivery takes two to four days and is free for orders
above 50 euros; otherwise it costs 4.90. Express delivery arrives on the next day and costs 12.`,
    },
  ],
}

/** The nodes of the demo's tree. */
export function demoKnowledge(
  owner: { company_id: string; project_id: string },
  now: Date,
): Omit<KnowledgeNode, 'number'>[] {
  const stamps = { created_at: now, updated_at: now }
  const node = (fields: Pick<KnowledgeNode, 'type' | 'name' | 'parent_id' | 'content' | 'language'>) => ({
    _id: objectId(),
    ...owner,
    ...fields,
    source_url: null,
    language_is_given: fields.language !== null,
    index_status: fields.type === 'folder' ? ('indexed' as const) : ('pending' as const),
    index_error: null,
    words: 0,
    revision: 1,
    is_active: true,
    deleted_with: null,
    ...stamps,
  })
  return Object.entries(FOLDERS).flatMap(([name, documents]) => {
    const folder = node({ type: 'folder', name, parent_id: null, content: null, language: null })
    return [folder, ...documents.map((one) => node({ type: 'document', parent_id: folder._id, ...one }))]
  })
}
