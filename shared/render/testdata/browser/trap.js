// Tells the runner of everything that a document runs, asks for, or puts over a property of the page.
"use strict";
(() => {
	const names = new Set();
	for (let top of [window, document, document.createElement("form")])
		for (let o = top; o; o = Object.getPrototypeOf(o)) for (const name of Object.getOwnPropertyNames(o)) names.add(name);
	const page = location.pathname, runner = parent, ran = what => runner.ran(page, what);
	const {fetch} = window;
	for (const name of ["alert", "prompt", "confirm", "print", "open"]) window[name] = () => ran(name);
	for (const name of ["log", "warn", "error", "info", "debug"]) console[name] = () => ran("console." + name);
	// The policy of the page only reports. It has an opinion on every script, and on every request but for images from here.
	addEventListener("securitypolicyviolation", e => ran(e.violatedDirective + " " + e.blockedURI));
	addEventListener("submit", () => ran("submits a form"), true);
	navigation.addEventListener("navigate", () => ran("leaves the page")); // as it begins to, since the answer may come late
	const allowed = ["http:", "https:", "mailto:", "tel:"];
	addEventListener("click", e => {
		const link = e.target.closest("a");
		if (link && allowed.includes(link.protocol)) e.preventDefault();
	}, true);
	const turn = () => new Promise(resolve => setTimeout(resolve));

	addEventListener("load", async () => {
		window.isWhole = true;
		if (document.getElementById("after")?.parentElement !== document.body) ran("the page behind it breaks");
		// The same, as programs put HTML into a page.
		const later = document.createElement("main"), copy = document.createElement("main"), template = document.createElement("template");
		later.innerHTML = await (await fetch(page + "/html")).text();
		template.innerHTML = later.innerHTML;
		copy.append(document.importNode(template.content, true));
		document.body.append(later, copy);
		await turn();
		for (const e of document.querySelectorAll("main *")) {
			for (const type of ["focus", "mouseover", "pointerenter", "toggle", "beforetoggle", "animationstart", "input", "scroll", "load", "error"]) e.dispatchEvent(new Event(type));
			e.click?.();
			for (const name of [e.id, e.getAttribute("name")]) if (names.has(name)) ran(name + " is no longer a property of the page");
		}
		await turn();
		await fetch("/names", {method: "POST", body: JSON.stringify([...names])});
		runner.settled();
	});
})();
