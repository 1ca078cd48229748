package schema

// fields writes a map of fields. c is the collection where they are its own, else nil.
func (w *writer) fields(fields Fields, c *Collection) {
	w.dst = append(w.dst, '{')
	for _, f := range fields {
		w.key(f.Key)
		w.field(f, c)
	}
	w.dst = append(w.dst, '}')
}

func (w *writer) field(f *Field, c *Collection) {
	w.dst = append(w.dst, '{')
	w.text("type", string(f.Type))
	w.text("label", f.Label)
	w.text("description", f.Description)
	w.flag("required", f.Required)
	w.flag("localized", f.Localized)
	if f.UI != nil {
		w.key("ui")
		w.ui(f.UI)
	}
	w.flag("multiline", f.Multiline)
	w.count("minLength", f.MinLength)
	w.count("maxLength", f.MaxLength)
	w.text("pattern", f.Pattern)
	w.texts("enum", f.Enum)
	w.flag("integer", f.Integer)
	w.bounds(f)
	w.raw("default", f.Default)
	w.texts("allowed", f.Allowed)
	w.text("to", f.To)
	w.flag("multiple", f.Multiple)
	if c != nil && f.From != "" && f.From != defaultSource(c, f) {
		w.text("from", f.From)
	}
	w.nested(f)
	w.count("minItems", f.MinItems)
	w.count("maxItems", f.MaxItems)
	w.dst = append(w.dst, '}')
}

// defaultSource is where a slug is derived from when the field does not say.
func defaultSource(c *Collection, f *Field) string {
	if c.TitleField != "" {
		return c.TitleField
	}
	return f.Key
}

// bounds writes min and max: numbers as numbers, dates and datetimes as strings.
func (w *writer) bounds(f *Field) {
	if f.Type == TypeNumber {
		w.raw("min", []byte(f.Min))
		w.raw("max", []byte(f.Max))
		return
	}
	w.text("min", f.Min)
	w.text("max", f.Max)
}

func (w *writer) nested(f *Field) {
	switch f.Type {
	case TypeList:
		w.key("of")
		w.field(f.Of, nil)
	case TypeObject:
		w.key("fields")
		w.fields(f.Fields, nil)
	case TypeBlocks:
		w.list("allowed", len(f.Blocks), func(i int) {
			b := f.Blocks[i]
			w.dst = append(w.dst, '{')
			w.text("key", b.Key)
			w.text("label", b.Label)
			w.key("fields")
			w.fields(b.Fields, nil)
			w.dst = append(w.dst, '}')
		})
	}
}

func (w *writer) ui(ui *UI) {
	w.dst = append(w.dst, '{')
	w.text("widget", ui.Widget)
	w.text("placeholder", ui.Placeholder)
	w.text("helpText", ui.HelpText)
	w.text("group", ui.Group)
	w.flag("hidden", ui.Hidden)
	w.dst = append(w.dst, '}')
}
