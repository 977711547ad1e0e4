import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** The last number that an appointment of the project was given. */
export const AppointmentCounter = defineEntity({
  name: 'AppointmentCounter',
  tableName: 'appointment_counter',
  properties: {
    project_id: p.text().primary(),
    last_number: p.integer(),
  },
})

export type AppointmentCounter = InferEntity<typeof AppointmentCounter>
