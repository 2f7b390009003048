// Times are kept in UTC and shown where the reader is.
const MINUTE = 60e3, DAY = 86400e3
const formats = new Map()  // made when they are needed: it takes the browser long to make the first one
function format(time, options) {
  if (!formats.has(options)) formats.set(options, new Intl.DateTimeFormat("en-GB", options))
  return formats.get(options).format(time)
}
const DATE = {weekday: "short", day: "numeric", month: "short"}
const DATE_OF_YEAR = {day: "numeric", month: "short", year: "numeric"}
const CLOCK = {hour: "2-digit", minute: "2-digit"}

const count = (n, unit) => `in ${n} ${unit}${n === 1 || unit === "min" ? "" : "s"}`

// "in 10 min", "in 4 days": from one time to another.
export function inWords(from, to) {
  const ms = to - from
  if (ms <= 0) return "now"
  if (ms < 59.5 * MINUTE) return count(Math.max(1, Math.round(ms / MINUTE)), "min")
  if (ms < 23.5 * 60 * MINUTE) return count(Math.round(ms / MINUTE / 60), "hour")
  const days = Math.round(ms / DAY)
  if (days < 60) return count(days, "day")
  return days < 700 ? count(Math.round(days / 30.44), "month") : count(Math.round(days / 365.25), "year")
}

// Midnights from one local day to another; a day of 23 or 25 hours is a day.
export function days(from, to) {
  const midnight = time => new Date(time.getFullYear(), time.getMonth(), time.getDate())
  return Math.round((midnight(to) - midnight(from)) / DAY)
}

export const dayAfter = (from, n) => new Date(from.getFullYear(), from.getMonth(), from.getDate() + n)

// "today, 15:40", "Fri 4 Dec, 09:12"; the year where it is far.
export function when(now, time) {
  const ahead = days(now, time)
  if (ahead > 300) return format(time, DATE_OF_YEAR)
  const name = ahead === 0 ? "today" : ahead === 1 ? "tomorrow" : format(time, DATE).replace(",", "")
  return `${name}, ${format(time, CLOCK)}`
}

export const dayName = time => format(time, DATE).replace(",", "")
