import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A person whom the site of a web channel names by a signed token, and the visitor who this person is. */
export const VisitorIdentity = defineEntity({
  name: 'VisitorIdentity',
  tableName: 'visitor_identity',
  properties: {
    channel_id: p.text().primary(),
    /** The site's id of the person. */
    external_id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    user_id: p.text(),
    name: p.text().nullable(),
    email: p.text().nullable(),
    phone: p.text().nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type VisitorIdentity = InferEntity<typeof VisitorIdentity>
