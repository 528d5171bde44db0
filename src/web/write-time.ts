const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

export function writeClock(time: string): string {
  return CLOCK.format(new Date(time));
}

export function writeMoment(time: string): string {
  return MOMENT.format(new Date(time));
}

export function writeDay(time: string): string {
  return sameDay(time, new Date().toISOString()) ? 'Today' : DAY.format(new Date(time));
}

export function sameDay(one: string, other: string): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}

export function writeDuration(from: string, to: string): string {
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
