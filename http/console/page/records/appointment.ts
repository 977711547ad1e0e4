/** Appointments, as the API answers them. Times are ISO 8601. */

export type AppointmentStatus = 'pending' | 'confirmed' | 'cancelled' | 'completed' | 'no_show'

export type Appointment = {
  _id: string
  id: string
  number: number
  status: AppointmentStatus
  modality: 'online' | 'in-person'
  payment_status: 'unpaid' | 'pending' | 'paid' | 'refunded'
  amount: number | null
  currency: string | null
  starts_at: string
  ends_at: string
  timezone: string
  chat_user: string | null
  customer_id: string | null
  assigned_to: { id: string; full_name: string; email: string } | null
  meeting_url: string | null
  location: string | null
  reminder: object | null
  created_at: string
  updated_at: string
}

/** With the names of the people; missing in answers to changes and in events. */
export type CalendarEntry = Appointment & {
  contact?: { _id: string; name: string | null; phone: string | null } | null
  customer?: { _id: string; full_name: string | null } | null
}
