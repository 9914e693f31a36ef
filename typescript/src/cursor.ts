/** Places in a text: JavaScript counts UTF-16 units, the server code points. */

/** Units to code points. A place within a character counts as before it. */
export function toCodePoints(text: string, units: number): number {
  let points = 0;
  let at = 0;
  for (const character of text) {
    at += character.length;
    if (at > units) break;
    points += 1;
  }
  return points;
}

/** Code points to units. */
export function toUnits(text: string, points: number): number {
  let units = 0;
  for (const character of text) {
    if (points-- <= 0) break;
    units += character.length;
  }
  return units;
}
