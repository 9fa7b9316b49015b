/** Files of the site: its style, and pictures that are drawn of the cities themselves. */

const STYLE = `
body { margin: 0 auto; max-width: 60rem; padding: 0 1rem 2rem; font: 16px/1.5 system-ui, sans-serif; color: #1d2b3a; }
header { display: flex; justify-content: space-between; align-items: center; padding: 1rem 0; }
header .home { font-size: 1.4rem; font-weight: 700; text-decoration: none; color: inherit; }
nav { display: flex; gap: 1rem; align-items: center; }
a { color: #0b63a5; }
.map { width: 100%; border-radius: 8px; background: #0d2136; }
form { display: flex; gap: .5rem; margin: 1rem 0; flex-wrap: wrap; }
input { flex: 1; padding: .5rem; border: 1px solid #9fb0c0; border-radius: 4px; font: inherit; }
button { padding: .5rem 1rem; border: 0; border-radius: 4px; background: #0b63a5; color: #fff; font: inherit; cursor: pointer; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .35rem .5rem; text-align: left; border-bottom: 1px solid #dde5ec; }
th:last-child, .number { text-align: right; font-variant-numeric: tabular-nums; }
.turn { display: flex; gap: 1rem; align-items: center; }
dt { font-weight: 700; } dd { margin: 0 0 .5rem; }
`;

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="#0b63a5"/>' +
  '<path d="M1 8h14M8 1q-7 7 0 14q7-7 0-14" fill="none" stroke="#fff"/></svg>';

/** A map of the world: a point for each city. */
function map(cities) {
  const points = cities.map((c) => `M${((c.longitude + 180) * 2).toFixed(1)} ${((85 - c.latitude) * 2).toFixed(1)}h0`);
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 290"><rect width="720" height="290" fill="#0d2136"/>' +
    `<path d="${points.join('')}" stroke="#ffd27a" stroke-width="1.6" stroke-linecap="round" opacity=".8"/></svg>`
  );
}

/** `cities`: as `readAtlas` tells them. */
export function filesOf(cities) {
  return [
    { name: 'atlas.css', type: 'text/css', content: STYLE },
    { name: 'atlas-icon.svg', type: 'image/svg+xml', content: icon },
    { name: 'atlas-map.svg', type: 'image/svg+xml', content: map(cities) },
  ];
}
