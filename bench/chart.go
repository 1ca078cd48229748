package bench

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// The measures of the chart, in pixels.
const (
	chartWidth  = 1400
	chartHead   = 70
	chartLine   = 30 // of a row
	chartLabels = 620
	chartBars   = 560
	// chartSpan is how many powers of ten a bar can be long.
	chartSpan = 3
)

var (
	chartGood   = color.RGBA{0x2f, 0x7d, 0x4f, 0xff}
	chartMissed = color.RGBA{0xb8, 0x3a, 0x2e, 0xff}
	chartInk    = color.RGBA{0x22, 0x22, 0x22, 0xff}
	chartFaint  = color.RGBA{0xcc, 0xcc, 0xcc, 0xff}
)

// chart draws the rows of all reports as a PNG: a bar for each, whose length is the share of its target that it takes, on a scale of
// powers of ten. Where the target is the least, the share is that of the target in the value. What ends before the line of 1 is
// reached.
func chart(reports []Report) ([]byte, error) {
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, err
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: 15, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return nil, err
	}
	var rows []Row
	title := ""
	for _, r := range reports {
		if len(r.Rows) > 0 && title == "" {
			title = fmt.Sprintf("%s, %d cores, %.0f GiB; %s, commit %s", r.Machine.CPU, r.Machine.CPUs, float64(r.Machine.Memory)/1024,
				r.Began.Format("2006-01-02"), r.Machine.Revision)
		}
		rows = append(rows, r.Rows...)
	}
	c := &canvas{image.NewRGBA(image.Rect(0, 0, chartWidth, chartHead+chartLine*(len(rows)+1))), face}
	c.fill(c.Bounds(), color.White)
	c.text(20, 25, title)
	c.text(20, 50, "Share of the target that is taken, on a scale of powers of ten: what ends before 1 is reached.")
	for i, row := range rows {
		c.row(chartHead+i*chartLine, row)
	}
	c.scale(chartHead, chartHead+chartLine*len(rows))
	var out bytes.Buffer
	err = png.Encode(&out, c)
	return out.Bytes(), err
}

// canvas is a picture with a font.
type canvas struct {
	*image.RGBA
	face font.Face
}

// row draws a bar with its work before it and the measured value and the target behind.
func (c *canvas) row(top int, r Row) {
	c.text(20, top+20, r.Work)
	colour := chartGood
	if !r.Reached() {
		colour = chartMissed
	}
	end := place(r.share())
	c.fill(image.Rect(chartLabels, top+6, end, top+chartLine-6), colour)
	sign := "≤"
	if r.AtLeast {
		sign = "≥"
	}
	c.text(max(end, place(1))+8, top+20, fmt.Sprintf("%s (%s %s)", r.measured(), sign, Figure{Unit: r.Unit}.text(r.Target)))
}

// share is what part of its target a row takes.
func (r Row) share() float64 {
	if r.AtLeast {
		return r.Target / r.Value
	}
	return r.Value / r.Target
}

// place is where a share lies: from a hundredth at the left to ten at the right; what is beyond lies at the ends.
func place(share float64) int {
	powers := min(max(math.Log10(share)+2, 0), chartSpan)
	return chartLabels + int(powers/chartSpan*chartBars)
}

// scale draws the lines of the powers of ten.
func (c *canvas) scale(top, bottom int) {
	for _, share := range []float64{0.01, 0.1, 1, 10} {
		colour, x := chartFaint, place(share)
		if share == 1 {
			colour = chartInk
		}
		c.fill(image.Rect(x, top, x+1, bottom), colour)
		c.text(x-8, bottom+20, fmt.Sprint(share))
	}
}

func (c *canvas) fill(r image.Rectangle, colour color.Color) {
	draw.Draw(c, r, image.NewUniform(colour), image.Point{}, draw.Src)
}

func (c *canvas) text(x, y int, text string) {
	d := font.Drawer{Dst: c, Src: image.NewUniform(chartInk), Face: c.face, Dot: fixed.P(x, y)}
	d.DrawString(text)
}
