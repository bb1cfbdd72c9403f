(() => {
const own = document.currentScript;
const loading = new Map();
/** library loads a library, once. This script's element has the paths of their files. */
async function library(name) {
	let there = loading.get(name);
	if (!there) {
		there = new Promise((done, failed) => {
			const script = document.createElement("script");
			script.src = own.dataset[name];
			script.onload = () => done();
			script.onerror = () => failed(new Error(name + " cannot be loaded"));
			document.head.append(script);
		});
		loading.set(name, there);
	}
	await there;
	return window[name];
}
async function maths(w) {
	const katex = await library("katex");
	return katex.renderToString(w.text, {
		displayMode: w.block,
		output: "mathml",
		throwOnError: true,
		trust: false,
		strict: "ignore",
		maxExpand: 200,
		maxSize: 20
	});
}
let drawings = 0;
async function diagram(w) {
	const mermaid = await library("mermaid");
	mermaid.initialize({
		startOnLoad: false,
		securityLevel: "strict",
		theme: w.dark ? "dark" : "default",
		htmlLabels: false,
		flowchart: { htmlLabels: false },
		maxTextSize: 2e4,
		maxEdges: 500
	});
	const { svg } = await mermaid.render(`drawing-${++drawings}`, w.text);
	return sized(svg);
}
/** sized sets the size of an SVG to that of its view box, without which an image has none. */
function sized(svg) {
	const drawn = new DOMParser().parseFromString(svg, "text/html").querySelector("svg");
	const box = drawn?.viewBox.baseVal;
	if (!drawn || !box || box.width === 0) return svg;
	drawn.setAttribute("width", String(Math.ceil(box.width)));
	drawn.setAttribute("height", String(Math.ceil(box.height)));
	return new XMLSerializer().serializeToString(drawn);
}
let last = Promise.resolve();
addEventListener("message", (e) => {
	if (e.source !== parent) return;
	const wanted = e.data;
	const answer = (made, why = "") => parent.postMessage({
		turn: wanted.turn,
		made,
		why
	}, "*");
	last = last.then(() => wanted.kind === "maths" ? maths(wanted) : diagram(wanted)).then(answer, (e) => answer("", e instanceof Error ? e.message : ""));
});
parent.postMessage("ready", "*");
})();
